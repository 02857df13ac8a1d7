import type { SkillFiles } from "../core/skill/skill.ts";

const maxFiles = 30;
const maxHosts = 10;

/** Maximum characters of a call or an assigned value that are read. */
const maxExpression = 300;

/** Maximum calls of a file that are read. Hosts of further calls are requested when the code connects. */
const maxCalls = 1_000;

/** Maximum values between a call and an address: `fetch(url)`, `url = base + path`, `base = "https://…"`. */
const maxDepth = 3;

/** Hosts of namespaces and schemas, which only look like addresses. */
const names = new Set(["www.w3.org", "w3.org", "json-schema.org", "schema.org"]);

/** Calls that connect to an address among their arguments: `fetch(`, `axios.get(`, `new WebSocket(`, `axios.create(`. */
const requestCall =
  /\b(?:fetch|axios|got|ky|needle|superagent|undici|request|https?|WebSocket|EventSource)(?:\s*\.\s*\w+)?\s*\(/g;

/** Options with the address of a service. */
const baseAddress = /^(?:base_?ur[li]|api_?(?:base|url)|endpoint)$/i;

/** An assignment to a name, or a field and its value. */
const assignment = /(?<![\w$])([A-Za-z_$][\w$]*)\s*[=:](?![=>])\s*/g;

/**
 * The hosts that a skill's own code evidently connects to: addresses in calls of fetch and similar functions, directly or through
 * names. They can be requested before the code runs. This only reads the text: it finds neither hosts that are determined at run time
 * nor hosts that the code only mentions.
 */
export async function hostsInCode(files: SkillFiles): Promise<string[]> {
  const code = (await files.list())
    .filter(({ path }) => /\.[cm]?js$/.test(path) && !/(^|\/)(node_modules|tests?|__tests__)\//.test(path))
    .slice(0, maxFiles);
  const found = new Set<string>();
  for (const { path } of code) {
    const read = await files.read(path);
    if (read.ok) for (const host of hostsIn(read.text)) found.add(host);
  }
  return [...found].slice(0, maxHosts);
}

function hostsIn(source: string): string[] {
  const code = withoutComments(source);
  const values = new Map<string, string>();
  const asked = new Set<string>();
  for (const match of code.matchAll(assignment)) {
    const [, name = ""] = match;
    const value = expressionAt(code, match.index + match[0].length);
    if (!values.has(name) || hostsOfAddresses(value).length > 0) values.set(name, value);
    if (baseAddress.test(name)) asked.add(value);
  }
  let calls = 0;
  for (const match of code.matchAll(requestCall)) {
    calls += 1;
    if (calls > maxCalls) break;
    asked.add(expressionAt(code, match.index + match[0].length));
  }
  return [...asked]
    .slice(0, maxCalls)
    .flatMap((expression) => hostsOfAddresses(resolved(expression, values)));
}

/** The text from a position to the end of the statement or the line. */
function expressionAt(code: string, at: number): string {
  const text = code.slice(at, at + maxExpression);
  const end = text.search(/[;\n]/);
  return end === -1 ? text : text.slice(0, end);
}

/** An expression and the values of the names in it. */
function resolved(expression: string, values: ReadonlyMap<string, string>): string {
  const parts = new Set([expression]);
  let added = [expression];
  for (let depth = 0; depth < maxDepth; depth += 1) {
    added = added
      .flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? [])
      .flatMap((name) => values.get(name) ?? [])
      .filter((value) => !parts.has(value));
    for (const value of added) parts.add(value);
  }
  return [...parts].join("\n");
}

/** Removes block comments, and line comments on a line of their own. Takes linear time. */
function withoutComments(source: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let start = source.indexOf("/*"); start !== -1; start = source.indexOf("/*", at)) {
    const end = source.indexOf("*/", start + 2);
    if (end === -1) break;
    kept.push(source.slice(at, start));
    at = end + 2;
  }
  kept.push(source.slice(at));
  return kept.join("").replace(/^[^\S\r\n]*\/\/.*$/gm, "");
}

const address = /\b(?:https?|wss?):\/\/((?:[a-z0-9-]+\.)+[a-z0-9-]+)(:\d{1,5})?(?=[/?#"'`\s)<]|$)/gi;

/** The hosts of the addresses in a text, as grants name them: with the port unless it is 80 or 443. */
export function hostsOfAddresses(text: string): string[] {
  return [...text.matchAll(address)].flatMap(([, written = "", port = ""]) => {
    const host = written.toLowerCase();
    if (names.has(host)) return [];
    return [port === "" || port === ":80" || port === ":443" ? host : host + port];
  });
}

import type { SkillFiles } from "../core/skill.ts";

const mostFiles = 30;
const mostHosts = 10;

/** Names of namespaces and schemas that look like addresses. */
const names = new Set(["www.w3.org", "w3.org", "json-schema.org", "schema.org"]);

/** Ways to reach the network; code with none of them only mentions its addresses. */
const connects = /\b(?:fetch|axios|got|undici|request|superagent|needle|WebSocket|https?|net|tls)\b/;

/**
 * The hosts that the addresses in a skill's own code name, so that they can be asked for before it runs. A look at text: hosts that are
 * put together while it runs are not found.
 */
export async function hostsInCode(files: SkillFiles): Promise<string[]> {
  const code = (await files.list())
    .filter(({ path }) => /\.[cm]?js$/.test(path) && !/(^|\/)(node_modules|tests?|__tests__)\//.test(path))
    .slice(0, mostFiles);
  const found = new Set<string>();
  for (const { path } of code) {
    const read = await files.read(path);
    if (read.ok) for (const host of hostsIn(read.text)) found.add(host);
  }
  return [...found].slice(0, mostHosts);
}

function hostsIn(source: string): string[] {
  const code = withoutComments(source);
  const hosts = hostsOfAddresses(code);
  return connects.test(code.replace(address, "")) ? hosts : [];
}

/** Without comments in blocks and those that have a line to themselves. Takes linear time. */
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

const address = /\b(?:https?|wss?):\/\/([a-z0-9.-]+)(:\d{1,5})?(?=[/?#"'`\s)<]|$)/gi;

/** The hosts of the addresses in a text, as grants name them: with the port where it is not the web's. */
export function hostsOfAddresses(text: string): string[] {
  return [...text.matchAll(address)].flatMap(([, written = "", port = ""]) => {
    const host = written.toLowerCase();
    if (!host.includes(".") || names.has(host)) return [];
    return [port === "" || port === ":80" || port === ":443" ? host : host + port];
  });
}

import type { ReviewedLine } from "./review-lines.ts";

/** Length of a statement, and statements that are searched for constants. */
const [maxStatement, maxConstants] = [4_000, 5_000];
const texts = /"([^"]{0,400})"/g;

/**
 * The statements of a file of code as they run: each on one line, without comments, with constants put in and names written out. Every text
 * in them is in double quotes.
 */
export function codeStatements(
  lines: readonly ReviewedLine[],
  { path, raw }: { path: string; raw: string },
): ReviewedLine[] {
  const isShell =
    /\.(?:ba|z|k|fi)?sh$|(?:^|\/)(?:Makefile|Dockerfile)$/.test(path) || /^#!.{0,40}sh\b/.test(raw);
  const comment = /^\s*(?:#(?!!)|\/\/|\*|\/\*)/;
  let statements = joined(
    lines.map((line) => ({ ...line, text: comment.test(line.text) ? "" : normalised(line.text) })),
  );
  let known = new Map<string, string>();
  // A constant may be made of others.
  for (let round = 0; round < 3; round += 1) {
    statements = statements.map((each) => ({ ...each, text: folded(filledIn(each.text, known), isShell) }));
    const constants = constantsOf(statements, isShell);
    if (constants.size === known.size) break;
    known = constants;
  }
  return statements;
}

/** Texts in double quotes, with their escapes resolved. */
function normalised(text: string): string {
  return text
    .replace(/"{3}|'{3}|\$(?=["'])/g, (sign) => (sign === "$" ? "" : '"'))
    .replace(
      /(?:\b[rbfuRBF]{1,2})?(?:"((?:[^"\\]|\\.){0,1000})"|'((?:[^'\\]|\\.){0,1000})'|`((?:[^`\\]|\\.){0,1000})`)/g,
      (_, ...parts) => `"${unescaped(parts.slice(0, 3).find((part) => part !== undefined) ?? "")}"`,
    );
}

function unescaped(text: string): string {
  return text
    .replace(/\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{4})\}?|([0-3][0-7]{2}))/gi, (_, hex, wide, octal) =>
      String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? wide, 16) : Number.parseInt(octal, 8)),
    )
    .replace(/\\n/g, " ")
    .replaceAll('"', "'");
}

/** Lines up to the end of the brackets that they open. A block of code ends its line. */
function joined(lines: readonly ReviewedLine[]): ReviewedLine[] {
  const found: ReviewedLine[] = [];
  let depth = 0;
  for (const line of lines) {
    const last = found.at(-1);
    if (depth > 0 && last !== undefined && last.text.length < maxStatement)
      last.text += ` ${line.text.trim()}`;
    else {
      found.push({ ...line });
      depth = 0;
    }
    const bare = line.text.replace(texts, "");
    for (const [sign] of bare.matchAll(/[()[\]{}]/g)) {
      if (depth > 0 || /[([]/.test(sign)) depth = Math.max(0, depth + (/[([{]/.test(sign) ? 1 : -1));
    }
    if (/(?:=>|\)|\b(?:do|else|try))\s*\{\s*$/.test(bare)) depth = 0;
  }
  return found;
}

const assignment =
  /^\s{0,60}(?:export\s{1,4})?(?:const|let|var|final|my|local|readonly)?\s{0,4}((?:self\.|this\.)?[$A-Za-z_][\w$]{0,60})\s{0,4}(?::\s{0,4}[\w.]{1,30}\s{0,4})?:?=\s{0,4}(.{1,300}?)\s{0,4};?\s{0,4}$/;
const importedAs = /^\s*(?:from\s+[\w.]{1,60}\s+)?import\s.{0,100}?\b([\w.]{1,60})\s+as\s+(\w{1,60})/;
const constant = /^(?:"[^"]{1,300}"|builtins\.__dict__|[a-z_]{2,30}\.[A-Za-z_]{2,30}|eval|exec)$/;
/** Names that a file gives once to a text, or to a module or function. */
function constantsOf(statements: readonly ReviewedLine[], isShell: boolean): Map<string, string> {
  const found = new Map<string, string>();
  const several = isShell ? /.+/gs : /(?:"[^"]*"|[^";])+/g;
  const parts = statements.flatMap(({ text }) => text.match(several) ?? []);
  for (const text of parts.slice(0, maxConstants)) {
    const [, module = "", alias] = importedAs.exec(text) ?? [];
    const [, name = alias, written = module] = assignment.exec(text) ?? [];
    if (name === undefined) continue;
    const value = isShell && /^[^\s"'$`()]{1,200}$/.test(written) ? `"${written}"` : written;
    const isConstant = name === alias || value !== written || constant.test(value);
    found.set(name, isConstant && (found.get(name) ?? value) === value ? value : "");
  }
  return new Map([...found].filter(([, value]) => value !== ""));
}

const placeInText = /\$?\{\s*((?:self\.|this\.)?[$\w]{1,60})\s*\}|\$(\w{1,60})/g;
const usedName =
  /"[^"]{0,1000}"|\$\{?(\w{1,60})\}?|(?<![\w$.])(?:self\.|this\.)?[A-Za-z_$][\w$]{0,60}(?!\s*(?::?=(?!=)|:(?!:)))/g;

/** A statement with the values of names, but not where it gives or declares them. */
function filledIn(text: string, known: ReadonlyMap<string, string>): string {
  if (known.size === 0 || /^\s*(?:import|from)\s/.test(text)) return text;
  const plain = (name: string) => /^"([^"]*)"$/.exec(known.get(name) ?? "")?.[1];
  const inText = (place: string, braced?: string, named?: string) => plain(braced ?? named ?? "") ?? place;
  return text
    .replace(texts, (whole) => whole.replace(placeInText, inText))
    .replace(usedName, (name, inShell) =>
      name.startsWith('"') ? name : (known.get(inShell ?? name) ?? name),
    )
    .slice(0, maxStatement);
}

/** Each text, with the next one if they are put together. */
const sideBySide = /"([^"]{0,1000})"(?:\s{0,4}[+.]?\s{0,4}"([^"]{0,1000})")?/g;
const sideBySideInShell = /"([^"]{0,1000})"(?:"([^"]{0,1000})")?/g;
const reversed = /"([^"]{0,400})"(?:\[::-1\]|\.split\(""\)\.reverse\(\)\.join\(""\))/g;
const joinedBy =
  /"([^"]{0,5})"\.join\(\s*[[(]([^()[\]]{0,600})[\])]\s*\)|\[([^()[\]]{0,600})\]\.join\(\s*"([^"]{0,5})"\s*\)/g;
const numbers =
  /[[(]\s{0,4}((?:(?:0x)?[0-9a-f]{2,3}\s{0,4},\s{0,4}){2,400}(?:0x)?[0-9a-f]{2,3})\s{0,4},?\s{0,4}[\])]/gi;

/** Each character of a text by its code, put together again. */
const spelled =
  /("[^"]{0,400}")\.map\([^"]{0,60}fromCharCode[^"]{0,20}\)\.join\(""\)|""\.join\(\s{0,4}(?:chr\(\w{1,20}\) for \w{1,20} in |map\(chr,\s{0,4})("[^"]{0,400}")(?:\s{0,4}\)){1,2}/g;

/** A statement with its texts put together and decoded, and its names written out. */
function folded(text: string, isShell: boolean): string {
  let before = "";
  let now = text;
  for (let round = 0; round < 8 && now !== before; round += 1) {
    before = now;
    now = now
      .replace(reversed, (_, backwards) => `"${[...backwards].toReversed().join("")}"`)
      .replace(isShell ? sideBySideInShell : sideBySide, (whole, one, next) =>
        next === undefined ? whole : `"${one}${next}"`,
      )
      .replace(joinedBy, (whole, by, items, all, sign) => together(items ?? all, by ?? sign) ?? whole)
      .replace(/\bgetattr\(\s*([\w.$]{1,60})\s*,\s*"(\w{1,60})"\s*\)/g, "$1.$2")
      .replace(/(?<=[\w$)\]])(?<!env|environ)(?:\?\.)?\[\s*"([A-Za-z_$][\w$]{0,60})"\s*\]/g, ".$1")
      .replace(/\bbuiltins\.__dict__\.|\bvars\(\w{1,30}\)\.|\b(?:globals|locals)\(\)\./g, "builtins.");
  }
  if (!/\b(?:fromCharCode|chr|bytes|bytearray|Buffer\.from|TextDecoder)\b/.test(now)) return now;
  return now
    .replace(numbers, (whole, list) => readable(Buffer.from(list.split(",").map(Number))) ?? whole)
    .replace(spelled, (_, mapped, listed) => mapped ?? listed);
}

function together(items: string, by: string): string | undefined {
  const isPlain = items.replace(texts, "").replace(/[\s,]/g, "") === "" && items !== "";
  return isPlain ? `"${[...items.matchAll(texts)].map(([, part]) => part).join(by)}"` : undefined;
}

function readable(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1");
  return /^[\x20-\x7e\s]{3,}$/.test(text) ? `"${text.replace(/["\n]/g, " ")}"` : undefined;
}

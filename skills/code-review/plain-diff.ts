/**
 * A diff in the plain form that parse-diff reads. Git and mail programs write others: names in quotes with octal bytes, `diff --cc` with a
 * column per parent, CRLF, a signature at the end. Those that people or models edited have hunks whose counts are wrong.
 * https://git-scm.com/docs/diff-format
 */
export function plainDiff(text: string): string {
  const lines = (/^(?:diff |--- |@@ ).*\r$/m.test(text) ? text.replaceAll("\r\n", "\n") : text).split("\n");
  const plain: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const hunk = hunkHeader.exec(line);
    const end = hunk === null ? at + 1 : endOfHunk(lines, at + 1);
    if (hunk === null) plain.push(plainHeader(line));
    else plain.push(...plainHunk(hunk, lines.slice(at + 1, end)));
    at = end;
  }
  return plain.join("\n");
}

/** `@@ -1,3 +1,4 @@`; with two parents `@@@ -1,3 -1,3 +1,4 @@@`. */
const hunkHeader = /^@@+ ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,\d+)? @@+(.*)$/;

/** Where its lines end: what begins as no line of a hunk, the headers of the next file, the signature of a mail. */
function endOfHunk(lines: readonly string[], from: number): number {
  let at = from;
  for (; at < lines.length; at += 1) {
    const [line = "", next = "", third = ""] = lines.slice(at, at + 3);
    if (!/^(?:[ +\\-]|$)/.test(line)) break;
    if (line.startsWith("--- ") && next.startsWith("+++ ") && third.startsWith("@@")) break;
    if (/^-- ?$/.test(line) && /^\d+\.\d+/.test(next)) break;
  }
  while (at > from && lines[at - 1] === "") at -= 1;
  return at;
}

function plainHunk([, ranges = "", newStart, heading]: RegExpExecArray, lines: readonly string[]): string[] {
  const parents = ranges.trim().split(" ");
  const plain = lines.map((line) => {
    if (line === "" || line.startsWith("\\")) return line || " ";
    const columns = line.slice(0, parents.length);
    const sign = columns.includes("+") ? "+" : columns.includes("-") ? "-" : " ";
    return sign + line.slice(parents.length);
  });
  while (plain[0]?.startsWith("\\")) plain.shift();
  if (plain.length === 0) return [];
  const without = (sign: string) => plain.filter((line) => !line.startsWith(sign) && !line.startsWith("\\"));
  const [oldStart] = /\d+/.exec(ranges) ?? [];
  const [oldLines, newLines] = [without("+").length, without("-").length];
  return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading}`, ...plain];
}

function plainHeader(line: string): string {
  if (!/^(?:diff |--- |\+\+\+ )/.test(line)) return line;
  const named = line.replace(/(?<!\\)"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) => unquoted(quoted));
  return named.replace(/^diff --(?:cc|combined) (.*)$/, "diff --git a/$1 b/$1");
}

/** A name as git quotes it, `gr\303\274n.ts`. Control characters in it become `?`. */
function unquoted(name: string): string {
  const bytes = [...name.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)].map(([, octal, escaped, plain]) => {
    if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8)]);
    if (escaped !== undefined) return Buffer.from(/["\\]/.test(escaped) ? escaped : "?");
    return Buffer.from(plain ?? "");
  });
  return Buffer.concat(bytes)
    .toString("utf8")
    .replace(/\p{Cc}/gu, "?");
}

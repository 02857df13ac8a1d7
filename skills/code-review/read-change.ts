import type { Chunk, File as DiffFile } from "parse-diff";
import { WebError } from "../../src/core/ports/web.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";

/** A line of a change, or of a complete file under review. */
interface ReviewedLine {
  /** In the new file; for a removed line, the number of the line that follows it there. */
  number: number;
  kind: "added" | "context" | "removed";
  text: string;
}

/** A piece of one file, as sent to a model. */
export interface ReviewedPiece {
  file: string;
  lines: ReviewedLine[];
  /** Each line with its number, if it has one. */
  shown: string;
}

export interface Change {
  pieces: ReviewedPiece[];
  left_out: { file: string; why: string }[];
}

/** Generated files, which are not reviewed. */
const generated =
  /(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|[^/]*\.min\.(js|css)|[^/]*\.map|[^/]*\.snap|[^/]*_pb2\.py|[^/]*\.pb\.go|[^/]*\.generated\.\w+)$|(^|\/)(node_modules|vendor|dist)\//;

/** Maximum lines reviewed per file, and maximum characters per piece and per shown line. */
const maxLines = 3_000;
const maxPiece = 12_000;
const maxLine = 2_000;

/** The diff at an address. @throws SkillFailure */
export async function fetchDiff(address: string, { web, signal }: ToolContext): Promise<string> {
  const url = diffAddress(address);
  if (url === undefined)
    throw new SkillFailure(
      "no_change",
      "That is not the address of a pull request, a merge request, a commit or a diff.",
      "Ask for it, or for the diff as a file.",
    );
  try {
    const { status, body } = await web.fetch(url, { signal, headers: { accept: "text/plain, */*" } });
    if (status === 200 && isDiff(body)) return body;
    if (status === 200 && body.trim() === "")
      throw new SkillFailure("empty", "The change is empty.", "Say so.");
    // A visitor who is not signed in may get the login page with status 200.
    const isPrivate = [401, 403, 404].includes(status) || /^\s*<(?:!doctype|html)/i.test(body);
    const why = isPrivate ? "It is private, or it does not exist" : `The server answered no diff (${status})`;
    throw new SkillFailure("not_read", `${why}: ${url}.`, "Ask for its .diff or .patch as a file.");
  } catch (error) {
    if (error instanceof WebError)
      throw new SkillFailure(error.code, error.message, "Ask for its .diff as a file.");
    throw error;
  }
}

/** Whether a text is a diff. */
export function isDiff(text: string): boolean {
  return (
    /^(diff --|--- |Index: )/m.test(text) &&
    /^(@@+ |Binary files |GIT binary patch|(rename|copy) from |(new|deleted) file|old mode |similarity )/m.test(
      text,
    )
  );
}

/** The files of a diff in pieces, hunk by hunk. */
export async function piecesOfDiff(text: string): Promise<Change> {
  const { default: parseDiff } = await import("parse-diff");
  const pieces: ReviewedPiece[] = [];
  const left_out: Change["left_out"] = [];
  for (const each of parseDiff(plainDiff(text))) {
    const { to, from, chunks } = each;
    const file = (to === undefined || to === "/dev/null" ? from : to) ?? "?";
    const why = whyLeftOut(file, each);
    if (why === undefined)
      pieces.push(...chunks.flatMap((chunk) => piecesOf(file, linesOfHunk(chunk), chunk.content)));
    else left_out.push({ file, why });
  }
  return { pieces, left_out };
}

function whyLeftOut(file: string, { deleted, chunks, from, to, oldMode, newMode, index }: DiffFile) {
  if (deleted === true) return "deleted";
  if (generated.test(file)) return "generated";
  if (chunks.length > 0) return undefined;
  if (from !== undefined && from !== "/dev/null" && from !== to) return `renamed from ${from}, nothing else`;
  return oldMode !== newMode && index === undefined && oldMode !== undefined
    ? "only its mode changed"
    : "binary or empty";
}

/** A line as shown to a model, and the part of it that findings may quote. */
interface ShownLine {
  shown: string;
  line?: ReviewedLine;
}

function linesOfHunk({ changes, newStart, newLines }: Chunk): ShownLine[] {
  // A hunk without lines in the new file has the number of the line before it.
  let next = newLines === 0 ? newStart + 1 : newStart;
  return changes.map((change): ShownLine => {
    const { content } = change;
    if (content.startsWith("\\")) return { shown: `     ${content}` };
    const text = content.slice(1);
    if (change.type === "del")
      return { shown: `     ${content}`, line: { number: next, kind: "removed", text } };
    const number = change.type === "add" ? change.ln : change.ln2;
    next = number + 1;
    return shownLine(number, content, { kind: change.type === "add" ? "added" : "context", text });
  });
}

function shownLine(number: number, shown: string, line: Omit<ReviewedLine, "number">): ShownLine {
  return { shown: `${String(number).padStart(4)} ${shown}`, line: { number, ...line } };
}

/** Splits lines into pieces that are within the size limit. */
function piecesOf(file: string, lines: readonly ShownLine[], heading?: string): ReviewedPiece[] {
  const pieces: ReviewedPiece[] = [];
  for (const { shown, line } of lines) {
    const cut = shown.length > maxLine ? `${shown.slice(0, maxLine)}…` : shown;
    let piece = pieces.at(-1);
    if (piece === undefined || piece.shown.length + cut.length > maxPiece) {
      piece = { file, lines: [], shown: heading ?? "" };
      pieces.push(piece);
    }
    if (line !== undefined) piece.lines.push(line);
    piece.shown += piece.shown === "" ? cut : `\n${cut}`;
  }
  return pieces;
}

/** A complete file as a change in which every line was added. */
export function piecesOfFile(file: string, text: string): Change {
  if (generated.test(file)) return { pieces: [], left_out: [{ file, why: "generated" }] };
  if (text.trim() === "") return { pieces: [], left_out: [{ file, why: "empty" }] };
  const all = text.split(/\r?\n/);
  const lines = all
    .slice(0, maxLines)
    .map((line, at) => shownLine(at + 1, line, { kind: "added", text: line }));
  const cut = all.length > maxLines ? [{ file, why: `its lines after ${maxLines}` }] : [];
  return { pieces: piecesOf(file, lines), left_out: cut };
}

/** The path of a change's page, and the address of its diff. */
type Page = [path: RegExp, diff: (parts: readonly string[], origin: string) => string];

/** GitHub, Gitea and Forgejo, GitLab and Bitbucket Data Center, on any host. */
const anywhere: readonly Page[] = [
  [
    /^\/(projects|users)\/([^/]+)\/repos\/([^/]+)\/pull-requests\/(\d+)/,
    ([kind, owner, repository, id], origin) =>
      `${origin}/rest/api/latest/projects/${kind === "users" ? "~" : ""}${owner}/repos/${repository}/pull-requests/${id}.diff`,
  ],
  [/^(\/.+\/-\/(?:merge_requests\/\d+|commit\/[0-9a-f]{7,40}))/, ([path], origin) => `${origin}${path}.diff`],
  [/^(\/[^/]+\/[^/]+\/pulls?\/\d+)/, ([path], origin) => `${origin}${path}.diff`],
  [/^(\/[^/]+\/[^/]+\/commit\/[0-9a-f]{7,40})(?=[./]|$)/, ([path], origin) => `${origin}${path}.diff`],
  [/^(\/[^/]+\/[^/]+\/compare\/.+?\.\..+?)(?:\.diff|\.patch)?$/, ([path], origin) => `${origin}${path}.diff`],
];

const repositories = "https://api.bitbucket.org/2.0/repositories";

/** https://developer.atlassian.com/cloud/bitbucket/rest/ */
const bitbucketCloud: readonly Page[] = [
  [/^\/([^/]+\/[^/]+)\/pull-requests\/(\d+)/, ([of, id]) => `${repositories}/${of}/pullrequests/${id}/diff`],
  [/^\/([^/]+\/[^/]+)\/commits\/([0-9a-f]{7,40})/, ([of, commit]) => `${repositories}/${of}/diff/${commit}`],
];

/** The address of a change's diff; undefined for any other address. Also reads Slack's `<address|label>`. */
export function diffAddress(text: string): string | undefined {
  const url = URL.parse(text.trim().replace(/^<([^|>]*)(?:\|[^>]*)?>$/, "$1"));
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  for (const [path, diff] of url.host === "bitbucket.org" ? bitbucketCloud : anywhere) {
    const parts = path.exec(url.pathname);
    if (parts !== null) return diff(parts.slice(1), url.origin);
  }
  return /\.(diff|patch)$/.test(url.pathname) ? url.href : undefined;
}

/** All addresses requested to fetch a change: GitHub serves the diff of a pull request from another host. */
export function addressesOf(text: string): string[] {
  const address = diffAddress(text);
  if (address === undefined) return [];
  const pull = /^https:\/\/github\.com(\/[^/]+\/[^/]+\/pull\/\d+\.diff)$/.exec(address)?.[1];
  return pull === undefined ? [address] : [address, `https://patch-diff.githubusercontent.com/raw${pull}`];
}

/**
 * A diff in the plain form that parse-diff reads. Git and mail programs also write other forms: quoted names with octal bytes, `diff --cc`
 * with a column per parent, CRLF, a signature at the end. Diffs edited by people or models have hunks with wrong counts.
 * https://git-scm.com/docs/diff-format
 */
function plainDiff(text: string): string {
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

/** Where a hunk ends: at a line that cannot belong to a hunk, the headers of the next file, or the signature of a mail. */
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

/** Decodes a name quoted by git, `gr\303\274n.ts`. Control characters become `?`. */
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

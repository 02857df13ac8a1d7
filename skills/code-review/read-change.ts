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
const generated: readonly RegExp[] = [
  /(?:^|\/)(?:package-lock\.json|(?:yarn|poetry|Cargo|composer|Gemfile)\.lock|pnpm-lock\.yaml|go\.sum)$/,
  /\.(?:min\.(?:js|css)|map|snap|pb\.go|generated\.\w+)$|_pb2\.py$|(?:^|\/)(?:node_modules|vendor|dist)\//,
];

const isGenerated = (file: string) => generated.some((each) => each.test(file));

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

/** One file of a diff. A hunk is its header and the lines below it. */
interface DiffFile {
  header: string[];
  hunks: { at: RegExpExecArray; lines: string[] }[];
}

/**
 * The files of a diff in pieces, hunk by hunk. Git and mail programs write several forms: quoted names with octal bytes, `diff --cc` with a
 * column per parent, CRLF, a signature at the end. Diffs edited by people or models have hunks with wrong counts.
 * https://git-scm.com/docs/diff-format
 */
export function piecesOfDiff(text: string): Change {
  const change: Change = { pieces: [], left_out: [] };
  for (const { header, hunks } of filesOfDiff(text)) {
    const named = namesIn(header.join("\n"));
    const why = whyLeftOut(named, hunks.length > 0);
    if (why !== undefined) change.left_out.push({ file: named.file, why });
    else
      for (const { at, lines } of hunks) {
        const shown = linesOfHunk(at, lines);
        if (shown.some(({ line }) => line !== undefined))
          change.pieces.push(...piecesOf(named.file, shown, at[0]));
      }
  }
  return change;
}

function filesOfDiff(text: string): DiffFile[] {
  const lines = (/^(?:diff |--- |@@ ).*\r$/m.test(text) ? text.replaceAll("\r\n", "\n") : text).split("\n");
  const files: DiffFile[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const hunk = hunkHeader.exec(line);
    const last = files.at(-1);
    const isNext = line.startsWith("diff ") || (line.startsWith("--- ") && last?.hunks.length !== 0);
    if (isNext) files.push({ header: [line], hunks: [] });
    else if (hunk === null) last?.header.push(line);
    const end = hunk === null ? at + 1 : endOfHunk(lines, at + 1);
    if (hunk !== null) last?.hunks.push({ at: hunk, lines: lines.slice(at + 1, end) });
    at = end;
  }
  return files;
}

/** What the lines before the hunks of a file say of it. */
function namesIn(header: string) {
  const part = (form: RegExp) => {
    const [, written] = form.exec(header) ?? [];
    const name = written
      ?.replace(/\t.*/, "")
      .replace(/^"((?:[^"\\]|\\.)*)"$/, (_, quoted) => unquoted(quoted));
    return name?.replace(/^[abciwo12]\//, "");
  };
  const [before, after] = [part(/^--- (.+)$/m), part(/^\+\+\+ (.+)$/m)];
  const same = part(/^diff --(?:git .* (?="?b\/)|cc |combined )(.+)$/m);
  const from = part(/^(?:rename|copy) from (.+)$/m);
  const file = [after, part(/^(?:rename|copy) to (.+)$/m), before, same].find(isThere) ?? "?";
  return {
    file,
    from,
    isDeleted: /^deleted file /m.test(header) || after === "/dev/null",
    isMode: /^old mode /m.test(header) && !/^index /m.test(header),
  };
}

const isThere = (name: string | undefined) => name !== undefined && name !== "/dev/null";

function whyLeftOut({ file, from, isDeleted, isMode }: ReturnType<typeof namesIn>, hasHunks: boolean) {
  if (isDeleted) return "deleted";
  if (isGenerated(file)) return "generated";
  if (hasHunks) return undefined;
  if (from !== undefined) return `renamed from ${from}, nothing else`;
  return isMode ? "only its mode changed" : "binary or empty";
}

/** A line as shown to a model, and the part of it that findings may quote. */
interface ShownLine {
  shown: string;
  line?: ReviewedLine;
}

function linesOfHunk([, ranges = "", newStart]: RegExpExecArray, lines: readonly string[]): ShownLine[] {
  const parents = ranges.trim().split(" ").length;
  const signOf = (line: string) => {
    const signs = line.slice(0, parents);
    return signs.includes("+") ? "+" : signs.includes("-") ? "-" : " ";
  };
  // A hunk without lines in the new file has the number of the line before it.
  const isGone = lines.every((line) => line.startsWith("\\") || signOf(line) === "-");
  let next = Number(newStart) + (isGone ? 1 : 0);
  return lines.map((line): ShownLine => {
    if (line.startsWith("\\")) return { shown: `     ${line}` };
    const [sign, text] = [signOf(line), line.slice(parents)];
    if (sign === "-") return { shown: `     -${text}`, line: { number: next, kind: "removed", text } };
    next += 1;
    return shownLine(next - 1, sign + text, { kind: sign === "+" ? "added" : "context", text });
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
  if (isGenerated(file)) return { pieces: [], left_out: [{ file, why: "generated" }] };
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

import type { Chunk, File as DiffFile } from "parse-diff";
import { SkillFailure } from "../../src/core/define-skill.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import { WebError } from "../../src/core/web.ts";

/** A line of a change, or of a file that is reviewed whole. */
interface ReviewedLine {
  /** In the new file. */
  number: number;
  kind: "added" | "context";
  text: string;
}

/** A piece of one file, as a model gets it. */
export interface ReviewedPiece {
  file: string;
  lines: ReviewedLine[];
  /** With the removed lines, each with its number where it has one. */
  shown: string;
}

export interface Change {
  pieces: ReviewedPiece[];
  left_out: { file: string; why: string }[];
}

/** Nobody reads these. */
const generated =
  /(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|.*\.min\.(js|css)|.*\.map|.*\.snap|.*_pb2\.py|.*\.pb\.go|.*\.generated\.\w+)$|(^|\/)(node_modules|vendor|dist)\//;

/** Lines of one file that are looked at. */
const mostLines = 3_000;

/** The address of a pull or merge request's diff; undefined for any other address. */
export function diffAddress(text: string): string | undefined {
  const url = URL.parse(text.trim().replace(/^<|>$/g, ""));
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const pull = /^(\/[^/]+\/[^/]+\/pull\/\d+)/.exec(url.pathname)?.[1];
  if (pull !== undefined) return `${url.origin}${pull}.diff`;
  const merge = /^(\/.+\/-\/merge_requests\/\d+)/.exec(url.pathname)?.[1];
  if (merge !== undefined) return `${url.origin}${merge}.diff`;
  const commit = /^(\/[^/]+\/[^/]+\/commit\/[0-9a-f]{7,40})$/.exec(url.pathname)?.[1];
  if (commit !== undefined) return `${url.origin}${commit}.diff`;
  return /\.(diff|patch)$/.test(url.pathname) ? url.href : undefined;
}

/** The diff at an address. @throws SkillFailure */
export async function fetchDiff(address: string, { web, signal }: ToolContext): Promise<string> {
  const url = diffAddress(address);
  if (url === undefined)
    throw new SkillFailure(
      "no_change",
      "That is no address of a pull request, a merge request, a commit or a diff.",
      "Ask for it, or for the diff as a file.",
    );
  try {
    const { status, body } = await web.fetch(url, { signal, headers: { accept: "text/plain, */*" } });
    if (status === 200) return body;
    const why =
      status === 404 || status === 401 || status === 403
        ? "It is private, or it does not exist"
        : `The server answered ${status}`;
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
    /^(diff --git |--- |Index: )/m.test(text) &&
    /^(@@ |Binary files |GIT binary patch|rename |new file|deleted file|similarity )/m.test(text)
  );
}

/** The files of a diff in pieces, hunk by hunk. */
export async function piecesOfDiff(text: string): Promise<Change> {
  const { default: parseDiff } = await import("parse-diff");
  const pieces: ReviewedPiece[] = [];
  const left_out: Change["left_out"] = [];
  for (const each of parseDiff(text)) {
    const { to, from, chunks } = each;
    const file = (to === undefined || to === "/dev/null" ? from : to) ?? "?";
    const why = whyLeftOut(file, each);
    if (why === undefined)
      pieces.push(...chunks.map((chunk) => pieceOf(file, chunk)).filter(({ lines }) => lines.length > 0));
    else left_out.push({ file, why });
  }
  return { pieces, left_out };
}

function whyLeftOut(file: string, { deleted, chunks }: DiffFile): string | undefined {
  if (deleted === true) return "deleted";
  if (generated.test(file)) return "generated";
  return chunks.length === 0 ? "binary, renamed or empty" : undefined;
}

function pieceOf(file: string, { content, changes }: Chunk): ReviewedPiece {
  const lines: ReviewedLine[] = [];
  const shown = changes.map((change) => {
    if (change.type === "del") return `     ${change.content}`;
    const number = change.type === "add" ? change.ln : change.ln2;
    lines.push({ number, kind: change.type === "add" ? "added" : "context", text: change.content.slice(1) });
    return `${String(number).padStart(4)} ${change.content}`;
  });
  return { file, lines, shown: [content, ...shown].join("\n") };
}

/** A file that is reviewed as it is. */
export function piecesOfFile(file: string, text: string): Change {
  if (generated.test(file)) return { pieces: [], left_out: [{ file, why: "generated" }] };
  const all = text.split("\n");
  const used = all.slice(0, mostLines);
  const pieces: ReviewedPiece[] = [];
  for (let from = 0; from < used.length; from += 300) {
    const lines = used
      .slice(from, from + 300)
      .map((line, at): ReviewedLine => ({ number: from + at + 1, kind: "added", text: line }));
    pieces.push({
      file,
      lines,
      shown: lines.map(({ number, text: line }) => `${String(number).padStart(4)} ${line}`).join("\n"),
    });
  }
  const cut = all.length > mostLines ? [{ file, why: `its lines after ${mostLines}` }] : [];
  return { pieces, left_out: cut };
}

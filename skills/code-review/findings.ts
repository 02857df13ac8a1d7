import { z } from "zod";
import type { ReviewedPiece } from "./read-change.ts";

const severities = ["blocker", "major", "minor", "nit"] as const;

export const findingSchema = z.object({
  file: z.string(),
  line: z.number().int().describe("in the new file"),
  severity: z.enum(severities),
  title: z.string().describe("a few words"),
  why: z.string().describe("what goes wrong, when"),
  quote: z.string().describe("the line it is about, as it stands there"),
  proposal: z.string().describe("the code as it should be, or what to do"),
});
export type Finding = z.output<typeof findingSchema>;

/** Characters that a part of a line needs to tell it from others. */
const minCharacters = 5;
/** Rows of a table in a message; a report has all. */
const maxRows = 20;

const plain = (line: string) => line.replace(/\s+/g, " ").trim();

/** Findings that stand where they say, with the line corrected to where the quoted code is; the others are counted. */
export function checkFindings(
  findings: readonly Finding[],
  pieces: readonly ReviewedPiece[],
): { kept: Finding[]; dropped: number } {
  const kept = findings.flatMap((finding) => {
    const line = lineOf(finding, pieces);
    return line === undefined ? [] : [{ ...finding, file: line.file, line: line.number }];
  });
  return { kept: withoutDoubles(kept), dropped: findings.length - kept.length };
}

function lineOf({ file, line, quote }: Finding, pieces: readonly ReviewedPiece[]) {
  const name = file.replace(/^(?:\.|a|b)\//, "");
  const own = pieces.filter((piece) => [file, name].includes(piece.file) || piece.file.endsWith(`/${name}`));
  const lines = own.flatMap((piece) => piece.lines.map((each) => ({ ...each, file: piece.file })));
  const words = quotedLine(quote);
  // What quotes nothing of the change is about nothing in it.
  const quoted = lines.filter(({ text }) => isQuoted(plain(text), words));
  const distance = ({ number, kind }: { number: number; kind: string }) =>
    Math.abs(number - line) + (kind === "removed" ? 0.5 : 0);
  return quoted.toSorted((one, other) => distance(one) - distance(other))[0];
}

function quotedLine(quote: string): string {
  const first = quote.split("\n").find((each) => /[^\s`]/.test(each)) ?? "";
  return plain(first.trim().replace(/^`+|(?<![`….])[`….]+$/g, ""));
}

/** Whether a quotation is of a line: a part of it that tells something, or most of the quotation, which may have a number and a sign before it. */
function isQuoted(text: string, words: string): boolean {
  if (text === "" || words === "") return false;
  if (text === words || (words.length >= minCharacters && text.includes(words))) return true;
  return words.includes(text) && text.length * 2 > words.length;
}

/** The graver one of two that say the same about one line. */
function withoutDoubles(findings: readonly Finding[]): Finding[] {
  const sorted = findings.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      one.file.localeCompare(other.file) ||
      one.line - other.line,
  );
  const seen = new Set<string>();
  return sorted.filter(({ file, line, title }) => {
    const key = `${file}:${line}:${plain(title).toLowerCase()}`;
    return !seen.has(key) && seen.add(key);
  });
}

const cell = (text: string) => plain(text).replaceAll("|", "\\|").replaceAll("`", "'");

/** A table of findings, Markdown, with as many rows as a message can show. */
export function tableOf(findings: readonly Finding[], most = maxRows): string {
  if (findings.length === 0) return "No findings.";
  const rows = findings
    .slice(0, most)
    .map(({ severity, file, line, title }) => `| ${severity} | \`${cell(file)}:${line}\` | ${cell(title)} |`);
  const more = findings.length > most ? [`\n${findings.length - most} more are in the report.`] : [];
  return ["| severity | where | what |", "|---|---|---|", ...rows, ...more].join("\n");
}

/** All findings with reasons and proposals, Markdown. */
export function reportOf(title: string, summary: string, findings: readonly Finding[]): string {
  const parts = findings.map(
    ({ severity, file, line, title: what, why, proposal }) =>
      `## ${severity}: ${what}\n\n\`${file}:${line}\`\n\n${why}\n\n${fenced(proposal)}`,
  );
  return [`# Review of ${title}`, summary, tableOf(findings, findings.length), ...parts]
    .join("\n\n")
    .concat("\n");
}

function fenced(text: string): string {
  const fences = text.match(/^[^\S\n]*```/gm)?.length ?? 0;
  if (!/[;{}=()]|\n/.test(text) || (fences > 0 && fences % 2 === 0)) return text;
  const fence = text.includes("```") ? "~~~~" : "```";
  return `${fence}\n${text}\n${fence}`;
}

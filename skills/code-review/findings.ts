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
  const own = pieces.filter((piece) => piece.file === file || piece.file.endsWith(`/${file}`));
  const lines = own.flatMap((piece) => piece.lines.map((each) => ({ ...each, file: piece.file })));
  const words = plain(quote.split("\n").find((each) => each.trim() !== "") ?? "");
  const withQuote =
    words === ""
      ? []
      : lines.filter(
          ({ text }) =>
            plain(text).includes(words) || (plain(text).length > 3 && words.includes(plain(text))),
        );
  const byDistance = (one: { number: number }, other: { number: number }) =>
    Math.abs(one.number - line) - Math.abs(other.number - line);
  // What quotes nothing of the change is about nothing in it.
  return withQuote.toSorted(byDistance)[0];
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
    const keys = [`${file}:${line}`, `${file}:${title.toLowerCase()}`];
    const isDouble = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return !isDouble;
  });
}

const cell = (text: string) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();

/** A table of findings, Markdown. */
export function tableOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return "No findings.";
  const rows = findings.map(
    ({ severity, file, line, title }) => `| ${severity} | \`${cell(file)}:${line}\` | ${cell(title)} |`,
  );
  return ["| severity | where | what |", "|---|---|---|", ...rows].join("\n");
}

/** All findings with reasons and proposals, Markdown. */
export function reportOf(title: string, summary: string, findings: readonly Finding[]): string {
  const parts = findings.map(
    ({ severity, file, line, title: what, why, proposal }) =>
      `## ${severity}: ${what}\n\n\`${file}:${line}\`\n\n${why}\n\n${fenced(proposal)}`,
  );
  return [`# Review of ${title}`, summary, tableOf(findings), ...parts].join("\n\n").concat("\n");
}

function fenced(text: string): string {
  if (!/[;{}=()]|\n/.test(text) || text.includes("```")) return text;
  return `\`\`\`\n${text}\n\`\`\``;
}

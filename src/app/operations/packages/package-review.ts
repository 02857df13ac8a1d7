/** Reviews of packages as text, in a chat and on the command line. */
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { InstalledPackage, PackageFinding, PackageReview } from "../../../core/skill/packages.ts";
import type { Terminal } from "../operation.ts";
import { codeSpan } from "../words.ts";

/** Maximum findings that a chat shows; the rest is counted. */
const maxFindings = 12;

/** Maximum characters of a package's text that are shown as code. */
const maxCode = 200;

/** Said in every review, whatever the findings. */
const prose = "No check understands all that its text asks of the agent: read it.";

const signs: Record<PackageFinding["severity"], string> = {
  danger: "⛔ **Danger:**",
  warning: "⚠️ **Warning:**",
  info: "ℹ️",
};

/** A review for the person who decides, gravest findings first. Markdown in which texts of the package are escaped. */
export function reviewText(review: PackageReview): string {
  const { skill_id, version, kind, files, bytes, hash, isolation, findings } = review;
  const more = findings.length - maxFindings;
  const lines = [
    `**${text(skill_id, 100)}** ${text(version, 40)} (${kind}, ${countOf(files)}, ${Math.ceil(bytes / 1024)} KB)`,
    text(review.description, 300),
    `${verdict(findings)} ${prose}`,
    ...findings.slice(0, maxFindings).map(findingText),
    ...(more > 0 ? [`- … and ${more} more: \`knack skills review ${skill_id}\` shows all.`] : []),
    ...needs(review).map(([title, values]) => {
      const rest = values.length > 15 ? ` … and ${values.length - 15} more` : "";
      return `${title}: ${values
        .slice(0, 15)
        .map((value) => codeSpan(value, maxCode))
        .join(", ")}${rest}`;
    }),
    ...filesNote(review).map((note) => text(note, 400)),
    `Its code: ${text(isolation, 300)}`,
    `sha256 \`${hash.slice(0, 16)}…\``,
  ];
  return lines
    .filter((line) => line !== "")
    .join("\n\n")
    .replaceAll("\n\n- ", "\n- ");
}

/** Installed skills with their reviews, and the next step. Markdown. */
export function installedText(installed: readonly InstalledPackage[], done: "installed" | "updated"): string {
  const ids = installed.map(({ skill_id }) => skill_id);
  const head = `${ids.map((id) => `**${text(id, 100)}**`).join(", ")} ${ids.length === 1 ? "is" : "are"} ${done}. Nothing of it is active. Read the review, then enable it in a channel with \`/skill enable ${ids[0] ?? "ID"}\`.`;
  return [head, ...installed.map(({ review }) => reviewText(review))].join("\n\n");
}

function verdict(findings: readonly PackageFinding[]): string {
  const count = (severity: PackageFinding["severity"]) =>
    findings.filter((finding) => finding.severity === severity).length;
  const danger = count("danger");
  const warnings = count("warning");
  if (danger > 0)
    return `Found **${danger} dangerous** and ${warnings} doubtful places. Do not enable it unless you trust who wrote it.`;
  if (warnings > 0)
    return `Found nothing dangerous and ${warnings} ${warnings === 1 ? "place" : "places"} to look at.`;
  return "Found nothing dangerous. That is no guarantee: check what it does before you enable it.";
}

function findingText({ severity, code, message, path, line, excerpt = "" }: PackageFinding): string {
  const place = path === undefined ? "" : ` (${text(path, 200)}${lineOf(line)})`;
  const quote = excerpt.trim() === "" ? "" : `: ${codeSpan(excerpt, maxCode)}`;
  const sign = code === "opinion" ? "💬 **Opinion:**" : signs[severity];
  return `- ${sign} ${text(message, 400)}${place}${quote}`;
}

function text(value: string, maxChars: number): string {
  return escapeMarkdown(oneLine(value, maxChars));
}

/** A review in full, for the command line. */
export function reviewLines(review: PackageReview, terminal: Terminal): string[] {
  const { skill_id, version, kind, files, bytes, hash, isolation, findings } = review;
  const { plain, bold, dim } = terminal;
  return [
    `${bold(plain(skill_id))} ${plain(version)}  ${dim(`${kind}, ${countOf(files)}, ${bytes} bytes`)}`,
    `  ${plain(review.description)}`,
    ...(findings.length === 0
      ? ["  Nothing was found to warn of. That is no guarantee: check what it does."]
      : []),
    `  ${prose}`,
    ...findings.flatMap((finding) => findingLines(finding, terminal)),
    ...needs(review).map(
      ([title, values]) =>
        `  ${title.charAt(0).toLowerCase()}${title.slice(1)}: ${values.map(plain).join(", ")}`,
    ),
    ...filesNote(review).map((note) => `  ${plain(note)}`),
    `  its code: ${plain(isolation)}`,
    dim(`  sha256 ${hash}`),
  ];
}

function findingLines(
  { severity, code, message, path, line, excerpt }: PackageFinding,
  { plain, dim, bad, warn }: Terminal,
): string[] {
  const words = { danger: bad("danger "), warning: warn("warning"), info: "info   " };
  const mark = code === "opinion" ? "opinion" : words[severity];
  const place = path === undefined ? "" : `  ${plain(path)}${lineOf(line)}`;
  const quote = excerpt === undefined ? [] : [dim(`          ${plain(excerpt)}`)];
  return [`  ${mark} ${plain(message)}${dim(place)}`, ...quote];
}

function lineOf(line: number | undefined): string {
  return line === undefined ? "" : `:${line}`;
}

function countOf(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

/** Says that code reads files of a conversation, and where it may send them. */
function filesNote({ scripts, hosts }: PackageReview): string[] {
  if (scripts.length === 0) return [];
  const where =
    hosts.length === 0
      ? "to any host that an operator grants it"
      : `to ${hosts.slice(0, 5).join(", ")}${hosts.length > 5 ? " and others" : ""}, if an operator grants it`;
  return [`Its code reads files of the thread it is called in: it may send them ${where}.`];
}

/** Scripts of a package and its requirements, without empty lists. */
function needs({ scripts, hosts, bins, env }: PackageReview): (readonly [title: string, values: string[]])[] {
  const all = [
    ["Scripts", scripts],
    ["Hosts it names", hosts],
    ["Programs it needs", bins],
    ["Variables it needs", env],
  ] as const;
  return all.filter(([, values]) => values.length > 0);
}

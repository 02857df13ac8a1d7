import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import type { InstalledPackage, PackageFinding, PackageReview } from "../../core/packages.ts";

/** Findings of one review that are shown; the rest is counted. */
const mostFindings = 12;

const signs: Record<PackageFinding["severity"], string> = {
  danger: "⛔ **Danger:**",
  warning: "⚠️ **Warning:**",
  info: "ℹ️",
};

/** A review as a person decides by it: the gravest first. Markdown; nothing of the package is more than text in it. */
export function reviewText(review: PackageReview): string {
  const { skill_id, version, kind, files, bytes, hash, isolation, findings } = review;
  const shownFindings = findings.slice(0, mostFindings);
  const more = findings.length - shownFindings.length;
  const lines = [
    `**${plain(skill_id, 100)}** ${plain(version, 40)} (${kind}, ${files} ${files === 1 ? "file" : "files"}, ${Math.ceil(bytes / 1024)} KB)`,
    plain(review.description, 300),
    verdict(findings),
    ...shownFindings.map(findingLine),
    ...(more > 0 ? [`- … and ${more} more: \`knack skills review ${skill_id}\` shows all.`] : []),
    ...named("Scripts", review.scripts),
    ...named("Hosts it names", review.hosts),
    ...named("Programs it needs", review.bins),
    ...named("Variables it needs", review.env),
    `Its code: ${plain(isolation, 300)}`,
    `sha256 \`${hash.slice(0, 16)}…\``,
  ];
  return lines
    .filter((line) => line !== "")
    .join("\n\n")
    .replaceAll("\n\n- ", "\n- ");
}

/** What was installed, each with its review, and how to go on. */
export function installedText(installed: readonly InstalledPackage[], done: "installed" | "updated"): string {
  const ids = installed.map(({ skill_id }) => skill_id);
  const head = `${ids.map((id) => `**${plain(id, 100)}**`).join(", ")} ${ids.length === 1 ? "is" : "are"} ${done}. Nothing of it is active. Read the review, then enable it in a channel with \`/skill enable ${ids[0] ?? "ID"}\`.`;
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
  return "Found nothing dangerous. That is no proof: look at what it does before you enable it.";
}

function findingLine({ severity, message, path, line, excerpt }: PackageFinding): string {
  const place = path === undefined ? "" : ` (${plain(path, 200)}${line === undefined ? "" : `:${line}`})`;
  const quote = excerpt === undefined || excerpt.trim() === "" ? "" : `: ${code(excerpt)}`;
  return `- ${signs[severity]} ${plain(message, 400)}${place}${quote}`;
}

function named(title: string, values: readonly string[]): string[] {
  if (values.length === 0) return [];
  const more = values.length > 15 ? ` … and ${values.length - 15} more` : "";
  return [`${title}: ${values.slice(0, 15).map(code).join(", ")}${more}`];
}

function plain(text: string, longest: number): string {
  return escapeMarkdown(oneLine(text, longest));
}

/** Text of a package as code: shown as it is, and unable to end the code. */
function code(text: string): string {
  return `\`${oneLine(text.replaceAll("`", "ˋ"), 200)}\``;
}

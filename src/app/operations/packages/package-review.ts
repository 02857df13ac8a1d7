/** Reviews of packages as text, in a chat and on the command line. */
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type {
  InstalledPackage,
  LeftOut,
  PackageFinding,
  PackageReview,
  SkillChoice,
} from "../../../core/skill/packages.ts";
import type { Terminal } from "../operation.ts";
import { codeSpan } from "../words.ts";

/** Maximum findings that a chat shows; the rest is counted. */
const maxFindings = 12;

/** Maximum characters of a package's text that are shown as code. */
const maxCode = 200;

/** Said in every review, whatever the findings: what the rules do not check, and who did. */
function readBy({ findings }: Pick<PackageReview, "findings">): string {
  return findings.some(({ code }) => code === "opinion")
    ? "A model read its guide; its opinion is the last line."
    : "Nobody read its guide: these are facts about its code, commands and files. Read what it asks of the agent.";
}

const signs: Record<PackageFinding["severity"], string> = {
  danger: "⛔ **Danger:**",
  warning: "⚠️ **Warning:**",
  info: "ℹ️",
};

/** A review for the person who decides, gravest findings first. Markdown in which texts of the package are escaped. */
export function reviewText(review: PackageReview): string {
  const { skill_id, version, kind, files, bytes, hash, isolation, findings } = review;
  const facts = findings.filter(({ code }) => code !== "opinion");
  const opinions = findings.filter(({ code }) => code === "opinion");
  const more = facts.length - maxFindings;
  const lines = [
    `**${text(skill_id, 100)}** ${text(version, 40)} (${kind}, ${countOf(files)}, ${Math.ceil(bytes / 1024)} KB)`,
    text(review.description, 300),
    `${verdict(findings)} ${readBy(review)}`,
    ...facts.slice(0, maxFindings).map(findingText),
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
    ...opinions.map(findingText),
  ];
  return lines
    .filter((line) => line !== "")
    .join("\n\n")
    .replaceAll("\n\n- ", "\n- ");
}

/** Reviews that a chat shows in full at once; of more, the findings are counted. */
const maxFull = 3;

/** Installed skills with their reviews, what was left out, and the next step. Markdown. */
export function installedText(
  {
    installed,
    left_out = [],
  }: { installed: readonly InstalledPackage[]; left_out?: readonly LeftOut[] | undefined },
  done: "installed" | "updated",
): string {
  const ids = installed.map(({ skill_id }) => skill_id);
  const [are, each] = ids.length === 1 ? ["is", "it"] : ["are", "each of them"];
  const state = done === "installed" ? "and off in every channel" : "and off where its files changed";
  const head = `${ids.map((id) => `**${text(id, 100)}**`).join(", ")} ${are} ${done}, ${state}. Read the review; then a manager switches ${each} on in a channel with \`/skill enable ${ids[0] ?? "ID"}\`.`;
  const reviews = installed.map(({ review }) => review);
  const shown = reviews.length > maxFull ? [summaryText(reviews)] : reviews.map(reviewText);
  return [head, ...leftOutText(left_out), ...shown].join("\n\n");
}

/** One line for each review, gravest first, and how to see one in full. */
function summaryText(reviews: readonly PackageReview[]): string {
  const lines = byGravity(reviews)
    .slice(0, maxListed)
    .map((review) => {
      const found = countsOf(review);
      return `- **${text(review.skill_id, 100)}**${found === "" ? "" : ` (${found})`}: ${text(review.description, 100)}`;
    });
  const more = reviews.length - lines.length;
  const rest = more > 0 ? [`- … and ${more} more, none with a graver finding`] : [];
  const [first] = byGravity(reviews);
  return [
    ...lines,
    ...rest,
    "",
    `\`/skill review ${first?.skill_id ?? "ID"}\` shows one in full. Each lists facts about code, commands and files; read what the guides ask of the agent.`,
  ].join("\n");
}

/** Maximum skills or left-out parts that a chat lists. */
const maxListed = 30;

function leftOutText(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.slice(0, 10).map((each) => `- ${text(leftOutLine(each), 500)}`);
  const more = leftOut.length - lines.length;
  return [["Not installed:", ...lines, ...(more > 0 ? [`- … and ${more} more parts`] : [])].join("\n")];
}

/** A part of a package that was left out, and why. */
export function leftOutLine({ path, message }: LeftOut): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** The skills of a package to choose from, and how to choose. Markdown. */
export function choicesText(choices: readonly SkillChoice[], address = ""): string {
  const command = `/skill install ${address === "" ? "" : `${oneLine(address.replaceAll("`", ""), 300)} `}`;
  const lines = choices
    .slice(0, maxListed)
    .map(({ skill_id, description }) => `- **${text(skill_id, 100)}**: ${text(description, 100)}`);
  const more = choices.length - lines.length;
  const names = choices.slice(0, 2).map(({ skill_id }) => skill_id);
  return [
    `It holds ${choices.length} skills, and nothing was installed yet. Choose some with \`${command}only ${names.join(", ")}\`, or take all with \`${command}all\`.`,
    [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join("\n"),
  ].join("\n\n");
}

/** The number of grave findings, in words; empty if there are none. */
function countsOf({ findings }: Pick<PackageReview, "findings">): string {
  const count = (severity: PackageFinding["severity"]) =>
    findings.filter((finding) => finding.severity === severity).length;
  const [danger, warnings] = [count("danger"), count("warning")];
  return [
    ...(danger === 0 ? [] : [`${danger} dangerous`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`]),
  ].join(", ");
}

/** Reviews with the gravest findings first. */
function byGravity(reviews: readonly PackageReview[]): PackageReview[] {
  const rank = ({ findings }: PackageReview) => {
    const severities = findings.map(({ severity }) => severity);
    return severities.includes("danger") ? 0 : severities.includes("warning") ? 1 : 2;
  };
  return reviews.toSorted((a, b) => rank(a) - rank(b));
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

/** Reviews that the command line shows by a line each; of more, it gives the names. */
const maxLines = 100;

/** Reviews in short, for the command line: one line each, gravest first, and every dangerous finding. */
export function summaryLines(reviews: readonly PackageReview[], terminal: Terminal): string[] {
  const { plain, bold, dim, bad } = terminal;
  const sorted = byGravity(reviews);
  const lines = sorted.slice(0, maxLines).flatMap((review) => {
    const found = countsOf(review);
    const dangers = review.findings.filter(({ severity }) => severity === "danger");
    const description = plain(oneLine(review.description, 100));
    return [
      `${bold(plain(review.skill_id))}${found === "" ? "" : ` ${dangers.length > 0 ? bad(found) : found}`}  ${dim(description)}`,
      ...dangers.flatMap((finding) => findingLines(finding, terminal)),
    ];
  });
  const others = sorted.slice(maxLines).map(({ skill_id }) => plain(skill_id));
  const rest = others.length === 0 ? [] : [`and ${others.length} more: ${others.join(", ")}`];
  return [
    ...lines,
    ...rest,
    `${reviews.length} skills. These are facts about code, commands and files: read what their guides ask of the agent.`,
  ];
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
    `  ${readBy(review)}`,
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

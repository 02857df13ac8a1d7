/** Reviews of packages as people read them. Markdown. */
import { escapeMarkdown, few, oneLine } from "../../../base/markdown-text.ts";
import type {
  InstalledPackage,
  LeftOut,
  PackageFinding,
  PackageReview,
  SkillChoice,
} from "../../../core/skill/packages.ts";
import type { Reading } from "../operation.ts";
import { codeSpan, firstLines } from "../words.ts";

/** Maximum findings that a chat shows; the rest is counted. */
const maxFindings = 12;

/** Maximum characters of a package's text that are shown as code. */
const maxCode = 200;

/** Said in every review, whatever the findings: what the rules do not check, and who did. */
function readBy({ findings }: Pick<PackageReview, "findings">, isRead: boolean): string {
  if (isRead) return "A model reads its guide now; its opinion follows.";
  return findings.some(({ code }) => code === "opinion")
    ? "A model read its guide; its opinion is the last line."
    : "Nobody read its guide: these are facts about its code, commands and files. Read what it asks of the agent.";
}

const signs: Record<PackageFinding["severity"], string> = {
  danger: "⛔ **Danger:**",
  warning: "⚠️ **Warning:**",
  info: "ℹ️",
};

/** Where a review is read. `isRead`: a model reads the guide meanwhile. */
type ReviewReading = Pick<Reading, "whole"> & { isRead?: boolean };

/** A review for the person who decides, gravest findings first. Texts of the package are escaped. */
export function reviewText(review: PackageReview, { whole, isRead = false }: ReviewReading): string {
  const { skill_id, version, kind, files, bytes, hash, isolation, findings } = review;
  const facts = findings.filter(({ code }) => code !== "opinion");
  const opinions = findings.filter(({ code }) => code === "opinion");
  const rest = (more: number) => `- … and ${more} more: \`knack skills review ${skill_id}\` shows all.`;
  const lines = [
    `**${text(skill_id, 100)}** ${text(version, 40)} (${kind}, ${files === 1 ? "1 file" : `${files} files`}, ${Math.ceil(bytes / 1024)} KB)`,
    text(review.description, 300),
    `${verdict(findings)} ${readBy(review, isRead)}`,
    ...firstLines(facts, whole ? Infinity : maxFindings, findingText, rest),
    ...needs(review).map(([title, values]) => {
      const spans = values.map((value) => codeSpan(value, maxCode));
      return `${title}: ${whole ? spans.join(", ") : few(spans, 15)}`;
    }),
    ...filesNote(review).map((note) => text(note, 400)),
    `Its code: ${text(isolation, 300)}`,
    `sha256 \`${whole ? hash : `${hash.slice(0, 16)}…`}\``,
    ...opinions.map(findingText),
  ];
  return lines
    .filter((line) => line !== "")
    .join("\n\n")
    .replaceAll("\n\n- ", "\n- ");
}

/** Reviews that are shown in full at once; of more, the findings are counted. */
const maxFull = 3;

/** Installed skills with their reviews, what was left out, and the next step. */
export function installedText(
  {
    installed,
    left_out = [],
  }: { installed: readonly InstalledPackage[]; left_out?: readonly LeftOut[] | undefined },
  done: "installed" | "updated",
  reading: ReviewReading,
): string {
  const ids = installed.map(({ skill_id }) => skill_id);
  const [are, each] = ids.length === 1 ? ["is", "it"] : ["are", "each of them"];
  const state = done === "installed" ? "and off in every channel" : "and off where its files changed";
  const names = few(
    ids.map((id) => `**${text(id, 100)}**`),
    maxListed,
  );
  const head = `${names} ${are} ${done}, ${state}. Read the review; then a manager switches ${each} on in a channel with \`/skill enable ${ids[0] ?? "ID"}\`.`;
  const reviews = installed.map(({ review }) => review);
  return [head, ...leftOutText(left_out, reading), ...reviewsText(reviews, reading)].join("\n\n");
}

/** Some reviews in full; of more, one line for each, gravest first, and how to see one in full. */
export function reviewsText(
  reviews: readonly PackageReview[],
  reading: ReviewReading,
  max = maxFull,
): string[] {
  if (reviews.length <= max) return reviews.map((review) => reviewText(review, reading));
  const { whole } = reading;
  const lines = byGravity(reviews)
    .slice(0, whole ? reviews.length : maxListed)
    .flatMap((review) => {
      const found = countsOf(review);
      const dangers = whole ? review.findings.filter(({ severity }) => severity === "danger") : [];
      return [
        `- **${text(review.skill_id, 100)}**${found === "" ? "" : ` (${found})`}: ${text(review.description, 100)}`,
        ...dangers.map((finding) => `  ${findingText(finding)}`),
      ];
    });
  const more = whole ? 0 : reviews.length - lines.length;
  const rest = more > 0 ? [`- … and ${more} more, none with a graver finding`] : [];
  const [first] = byGravity(reviews);
  const one = whole
    ? `${reviews.length} skills.`
    : `\`/skill review ${first?.skill_id ?? "ID"}\` shows one in full.`;
  const facts = "Each lists facts about code, commands and files; read what the guides ask of the agent.";
  return [[...lines, ...rest, "", `${one} ${facts}`].join("\n")];
}

/** Maximum skills or left-out parts that a chat lists. */
const maxListed = 30;

/** The parts of a package that were left out, and why. */
export function leftOutText(leftOut: readonly LeftOut[], { whole }: Pick<Reading, "whole">): string[] {
  if (leftOut.length === 0) return [];
  const line = ({ path, message }: LeftOut) =>
    `- ${text(path === "" ? message : `${path}: ${message}`, 500)}`;
  const rest = (more: number) => `- … and ${more} more parts`;
  return [["Not installed:", ...firstLines(leftOut, whole ? Infinity : 10, line, rest)].join("\n")];
}

/** The skills of a package to choose from, and how to choose. */
export function choicesText(choices: readonly SkillChoice[], address = ""): string {
  const command = `/skill install ${address === "" ? "" : `${oneLine(address.replaceAll("`", ""), 300)} `}`;
  const line = ({ skill_id, description }: SkillChoice) =>
    `- **${text(skill_id, 100)}**: ${text(description, 100)}`;
  const names = choices.slice(0, 2).map(({ skill_id }) => skill_id);
  return [
    `It holds ${choices.length} skills, and nothing was installed yet. Choose some with \`${command}only ${names.join(", ")}\`, or take all with \`${command}all\`.`,
    firstLines(choices, maxListed, line, (more) => `- … and ${more} more`).join("\n"),
  ].join("\n\n");
}

/** The numbers of dangerous and of doubtful findings. */
function gravity(findings: readonly PackageFinding[]): [danger: number, warnings: number] {
  const count = (of: PackageFinding["severity"]) => findings.filter(({ severity }) => severity === of).length;
  return [count("danger"), count("warning")];
}

/** The number of grave findings, in words; empty if there are none. */
function countsOf({ findings }: Pick<PackageReview, "findings">): string {
  const [danger, warnings] = gravity(findings);
  return [
    ...(danger === 0 ? [] : [`${danger} dangerous`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`]),
  ].join(", ");
}

/** Reviews with the gravest findings first. */
function byGravity(reviews: readonly PackageReview[]): PackageReview[] {
  const rank = ({ findings }: PackageReview) => {
    const first = gravity(findings).findIndex((count) => count > 0);
    return first < 0 ? 2 : first;
  };
  return reviews.toSorted((a, b) => rank(a) - rank(b));
}

function verdict(findings: readonly PackageFinding[]): string {
  const [danger, warnings] = gravity(findings);
  if (danger > 0)
    return `Found **${danger} dangerous** and ${warnings} doubtful places. Do not enable it unless you trust who wrote it.`;
  if (warnings > 0)
    return `Found nothing dangerous and ${warnings} ${warnings === 1 ? "place" : "places"} to look at.`;
  return "Found nothing dangerous. That is no guarantee: check what it does before you enable it.";
}

/** A finding of a review as an item of a list. */
export function findingText({ severity, code, message, path, line, excerpt = "" }: PackageFinding): string {
  const place = path === undefined ? "" : ` (${text(path, 200)}${lineOf(line)})`;
  const quote = excerpt.trim() === "" ? "" : `: ${codeSpan(excerpt, maxCode)}`;
  const sign = code === "opinion" ? "💬 **Opinion:**" : signs[severity];
  return `- ${sign} ${text(message, 400)}${place}${quote}`;
}

function text(value: string, maxChars: number): string {
  return escapeMarkdown(oneLine(value, maxChars));
}

function lineOf(line: number | undefined): string {
  return line === undefined ? "" : `:${line}`;
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

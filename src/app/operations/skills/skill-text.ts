/** Skills as people read them. Markdown. */
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { Diagnostic, Parameter } from "../../../core/skill/skill.ts";
import { rightInWords } from "../../../core/skill/skill-identifier.ts";
import type { InstalledSkill, SkillDetail, SkillListing } from "../../services/skill-listing.ts";
import type { Reading } from "../operation.ts";
import { firstLines } from "../words.ts";

type Problem = Omit<Diagnostic, "skill_id">;

const icons: Record<SkillListing["state"], string> = {
  available: "○",
  active: "●",
  pinned: "◉",
  blocked: "⊘",
};

/** The legend of the signs in a list of skills. */
const skillLegend = "○ available · ● active · ◉ enabled by a person · ⊘ disabled";

/** A skill in a list. */
function skillLine(skill: SkillListing): string {
  const only = skill.only_for === undefined ? undefined : `Only for ${skill.only_for}.`;
  const why = skill.eligible || skill.state === "blocked" ? (skill.notice ?? only) : skill.reasons[0];
  const reason = why === undefined ? "" : ` — _${why}_`;
  return `- ${icons[skill.state]} **${skill.id}** ${skill.summary}${reason}`;
}

/** Maximum skills in a list, which Slack and Discord show in two or three messages. */
const maxListed = 50;
const maxBroken = 5;

/**
 * Skills with the legend, and files that could not be loaded. Skills that are active, enabled or disabled are always listed; a chat counts
 * others beyond the limit.
 */
export function skillListText(
  found: readonly SkillListing[],
  diagnostics: readonly Problem[],
  { whole }: Reading,
): string {
  const decided = found.filter(({ state }) => state !== "available").length;
  let room = whole ? found.length : Math.max(0, maxListed - decided);
  const listed = found.filter(({ state }) => {
    if (state !== "available") return true;
    room -= 1;
    return room >= 0;
  });
  const more = found.length - listed.length;
  const rest = more === 0 ? [] : [`- … and ${more} more: \`/skill list WORDS\` finds those that fit.`];
  return [...listed.map(skillLine), ...rest, "", skillLegend, ...brokenLines(diagnostics, whole)].join("\n");
}

/** Files that could not be loaded, with the reasons. A chat shows only the end of each path, not the folders of the bot. */
export function brokenLines(diagnostics: readonly Problem[], whole: boolean): string[] {
  const found = whole ? diagnostics : diagnostics.filter(({ severity }) => severity === "error");
  if (found.length === 0) return [];
  const line = ({ severity, path, code, message }: Problem) => {
    const place = whole ? `${severity}: ${path}` : oneLine(path.split(/[\\/]/).slice(-2).join("/"), 100);
    return `- ${escapeMarkdown(place)}: ${escapeMarkdown(oneLine(message, 300))}${whole ? ` (${code})` : ""}`;
  };
  const rest = (more: number) => `- … and ${more} more: \`knack doctor\` shows all.`;
  return ["", "Could not be loaded:", "", ...firstLines(found, whole ? Infinity : maxBroken, line, rest)];
}

const highRisk = "High risk: each time it would change something, an operator has to approve.";

/** One skill in full. */
export function skillDetailText(skill: SkillDetail, { whole }: Reading): string {
  const few = <T>(values: readonly T[], max: number) => (whole ? values : values.slice(0, max));
  const lines = [
    `**${skill.emoji ? `${skill.emoji} ` : ""}${skill.name}** (\`${skill.id}\`, ${skill.version}, ${skill.kind} from ${skill.source})`,
    skill.description,
    `State: ${icons[skill.state]} ${skill.state}${skill.eligible ? "" : ` — ${skill.reasons.join(" ")}`}`,
    ...(skill.notice === undefined ? [] : [skill.notice]),
    ...(skill.risk === "high" ? [highRisk] : []),
    ...invocationLines(skill),
    ...(skill.package === undefined ? [] : [installedLine(skill.id, skill.package)]),
    ...rightLines(skill),
    ...networkLines(skill),
    ...variableLines(skill),
    ...toolListLines(skill.tool_list),
    ...few(skill.problems, 5).map(({ severity, message }) => `${severity}: ${message}`),
    ...skill.parts.map(skillLine),
    ...skill.parameters.map(parameterLine),
    ...few(skill.examples, 3).map((example) => `Example: ${example.prompt}`),
    ...(whole ? fileLines(skill) : []),
  ];
  return lines.join("\n\n").replaceAll("\n\n- ", "\n- ");
}

/** What a skill consists of, with its place on the bot's machine. */
function fileLines({ path, category, risk, hash, tools, files }: SkillDetail): string[] {
  return [
    `Category ${escapeMarkdown(category)}, risk ${risk}, from ${escapeMarkdown(path)}`,
    `sha256 \`${hash}\``,
    ...tools.map(
      ({ name, description }) => `- tool \`${name}\` ${escapeMarkdown(oneLine(description, 1_000))}`,
    ),
    ...files.map((file) => `- file ${escapeMarkdown(file.path)}, ${file.bytes} bytes`),
  ];
}

function installedLine(
  id: string,
  { from, by, installed_at, changed, danger, warnings }: InstalledSkill,
): string {
  const day = new Date(installed_at).toISOString().slice(0, 10);
  const found = `its review has ${danger} dangerous and ${warnings} doubtful places (\`/skill review ${id}\`)`;
  const state = changed ? " **Its files changed since then.**" : "";
  return `Installed on ${day} by ${by} from \`${from.replaceAll("`", "")}\`; ${found}.${state}`;
}

function invocationLines({ id, invocation }: SkillDetail): string[] {
  if (invocation === undefined) return [];
  const { by_people, by_model, command_tool } = invocation;
  return [
    ...(by_people ? [] : ["People cannot run it by command; the agent uses it where it fits."]),
    ...(by_model
      ? []
      : [`The agent does not see it unless a person enables it (\`/skill enable ${id}\`) or runs it.`]),
    ...(command_tool === undefined ? [] : [`\`/skill run ${id}\` goes to ${command_tool}, past the agent.`]),
  ];
}

function rightLines({ rights = {} }: SkillDetail): string[] {
  return Object.entries(rights).map(([id, right]) => `Only for ${rightInWords(right)}: \`${id}\`.`);
}

function networkLines({ network, kind }: SkillDetail): string[] {
  const { granted } = network;
  if (granted.includes("*")) return ["Its code may reach every public host."];
  if (granted.length > 0) return [`Its code may reach ${granted.map((host) => `\`${host}\``).join(", ")}.`];
  return kind === "imported" || kind === "document" ? ["Its code may reach no host."] : [];
}

/** Who holds the values of a skill's variables. */
function variableLines({ variables = [] }: Pick<SkillDetail, "variables">): string[] {
  return variables.map(({ name, put_into }) => {
    if (put_into === undefined) return `Its code gets the value of \`${name}\`.`;
    const [header = ""] = put_into.header.split(":");
    return `The bot keeps the value of \`${name}\` and puts it into \`${header}\` of requests to \`${put_into.host}\`; in the sandbox, its code has a placeholder.`;
  });
}

function toolListLines(toolList: SkillDetail["tool_list"]): string[] {
  const servers = Object.entries(toolList);
  if (servers.length === 0) return [];
  const words = servers.map(([server, tools]) =>
    tools.length === 0 ? `all of \`${server}\`` : `\`${tools.join("`, `")}\` of \`${server}\``,
  );
  return [`Brings tools along: ${words.join("; ")}.`];
}

function parameterLine({
  name,
  type,
  description,
  required,
  default: preset,
  enum: allowed,
}: Parameter): string {
  const choice = allowed === undefined ? "" : `, one of ${allowed.join(", ")}`;
  const fallback = preset === undefined ? "" : `, ${JSON.stringify(preset)} unless given`;
  return `- \`${name}\` (${type}${required ? ", required" : ""}${choice}${fallback}) ${description}`;
}

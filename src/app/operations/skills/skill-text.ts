/** Skills as people read them, in a chat and on the command line. */
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { Diagnostic, Parameter } from "../../../core/skill/skill.ts";
import { rightInWords } from "../../../core/skill/skill-identifier.ts";
import type { InstalledSkill, SkillDetail, SkillListing } from "../../services/skill-listing.ts";
import type { Terminal } from "../operation.ts";
import { diagnosticLines } from "../words.ts";

const icons: Record<SkillListing["state"], string> = {
  available: "○",
  active: "●",
  pinned: "◉",
  blocked: "⊘",
};

/** The legend of the signs in a list of skills. */
export const skillLegend = "○ available · ● active · ◉ enabled by a person · ⊘ disabled";

/** A skill in a list. Markdown. */
export function skillLine(skill: SkillListing): string {
  const only = skill.only_for === undefined ? undefined : `Only for ${skill.only_for}.`;
  const why = skill.eligible || skill.state === "blocked" ? (skill.notice ?? only) : skill.reasons[0];
  const reason = why === undefined ? "" : ` — _${why}_`;
  return `- ${icons[skill.state]} **${skill.id}** ${skill.summary}${reason}`;
}

/** Maximum skills in a list, which Slack and Discord show in two or three messages. */
const maxListed = 50;
const maxBroken = 5;

/** A readable list of skills. Skills that are active, enabled or disabled are always listed; others beyond the limit are counted. */
export function skillLines(found: readonly SkillListing[]): string[] {
  const decided = found.filter(({ state }) => state !== "available").length;
  let room = Math.max(0, maxListed - decided);
  const listed = found.filter(({ state }) => {
    if (state !== "available") return true;
    room -= 1;
    return room >= 0;
  });
  const more = found.length - listed.length;
  const rest = more === 0 ? [] : [`- … and ${more} more: \`/skill list WORDS\` finds those that fit.`];
  return [...listed.map(skillLine), ...rest];
}

/** Files that could not be loaded, with the reasons. Only the end of each path is shown, not the folders of the bot. */
export function brokenLines(
  diagnostics: readonly Pick<Diagnostic, "severity" | "path" | "message">[],
): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return [];
  const lines = errors.slice(0, maxBroken).map(({ path, message }) => {
    const end = path.split(/[\\/]/).slice(-2).join("/");
    return `- ${escapeMarkdown(oneLine(end, 100))}: ${escapeMarkdown(oneLine(message, 300))}`;
  });
  const more = errors.length - lines.length;
  const rest = more === 0 ? [] : [`- … and ${more} more: \`knack doctor\` shows all.`];
  return ["", "Could not be loaded:", "", ...lines, ...rest];
}

const highRisk = "High risk: each time it would change something, an operator has to approve.";

/** One skill in full. Markdown. */
export function skillDetailText(skill: SkillDetail): string {
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
    ...skill.problems.slice(0, 5).map(({ severity, message }) => `${severity}: ${message}`),
    ...skill.parts.map(skillLine),
    ...skill.parameters.map(parameterLine),
    ...skill.examples.slice(0, 3).map((example) => `Example: ${example.prompt}`),
  ];
  return lines.join("\n\n").replaceAll("\n\n- ", "\n- ");
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

/** A line for each skill, with the reason if it cannot be used. */
export function skillListLines(
  skills: readonly SkillListing[],
  { plain, bold, dim, bad }: Terminal,
): string[] {
  const width = Math.max(0, ...skills.map(({ id }) => id.length));
  return skills.map(({ id, state, kind, summary, eligible, reasons }) => {
    const why = eligible ? "" : `\n  ${bad("cannot be used:")} ${reasons.map(plain).join(" ")}`;
    return `${bold(id.padEnd(width))}  ${state.padEnd(9)}  ${dim(kind.padEnd(8))}  ${plain(summary)}${why}`;
  });
}

export function skillDetailLines(skill: SkillDetail, terminal: Terminal): string[] {
  const { plain, bold, dim, good, bad } = terminal;
  const { id, name, kind, state, source, path, risk, version, network } = skill;
  const usable = skill.eligible ? good("yes") : `${bad("no")}: ${skill.reasons.map(plain).join(" ")}`;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [bold(title), ...lines.map((line) => `  ${line}`)];
  return [
    `${bold(id)}  ${plain(name)} ${plain(version)}`,
    plain(skill.description),
    `kind ${kind}, category ${plain(skill.category)}, risk ${risk}, state ${state}`,
    `can be used: ${usable}`,
    ...(skill.notice === undefined ? [] : [bad(plain(skill.notice))]),
    `from ${source}: ${plain(path)}`,
    dim(`sha256 ${skill.hash}`),
    ...(skill.package === undefined ? [] : [packageLine(skill.package, terminal)]),
    ...(network.granted.length === 0 ? [] : [`its code may reach: ${network.granted.map(plain).join(", ")}`]),
    ...variableLines(skill).map((line) => plain(line.replaceAll("`", ""))),
    ...section(
      "brings tools along",
      Object.entries(skill.tool_list).map(
        ([server, tools]) => `${plain(server)}: ${tools.length === 0 ? "all" : tools.map(plain).join(", ")}`,
      ),
    ),
    ...section("problems", diagnosticLines(skill.problems, terminal)),
    ...section(
      "parameters",
      skill.parameters.map(
        ({ name, type, required, description }) =>
          `${plain(name)} (${type}${required ? ", required" : ""})  ${plain(description)}`,
      ),
    ),
    ...section(
      "tools",
      skill.tools.map((tool) => `${tool.name}  ${plain(tool.description)}`),
    ),
    ...section(
      "parts",
      skill.parts.map((part) => `${part.id}  ${plain(part.summary)}`),
    ),
    ...section(
      "examples",
      skill.examples.map(({ prompt }) => plain(prompt)),
    ),
    ...section(
      "files",
      skill.files.map((file) => `${plain(file.path)}  ${file.bytes} bytes`),
    ),
  ];
}

function packageLine(
  { from, by, installed_at, changed, danger, warnings }: InstalledSkill,
  { plain, bad }: Terminal,
): string {
  const when = new Date(installed_at).toISOString().slice(0, 10);
  const state = changed ? bad("  its files changed since then") : "";
  return `installed ${when} by ${plain(by)} from ${plain(from)}, review: ${danger} dangerous, ${warnings} doubtful${state}`;
}

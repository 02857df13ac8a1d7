/** Skills on the command line. */
import type { SkillDetail, SkillListing } from "../services/skill-listing.ts";
import type { Terminal } from "./operation.ts";

/** One line a skill, and why it cannot be used. */
export function skillListLines(
  skills: readonly SkillListing[],
  { plain, bold, dim, bad }: Terminal,
): string[] {
  const width = Math.max(0, ...skills.map(({ id }) => id.length));
  return skills.map(({ id, state, kind, description, eligible, reasons }) => {
    const why = eligible ? "" : `\n  ${bad("cannot be used:")} ${reasons.map(plain).join(" ")}`;
    return `${bold(id.padEnd(width))}  ${state.padEnd(9)}  ${dim(kind.padEnd(8))}  ${plain(description)}${why}`;
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
    ...(skill.package === undefined ? [] : [installedLine(skill.package, terminal)]),
    ...(network.granted.length === 0 ? [] : [`its code may reach: ${network.granted.map(plain).join(", ")}`]),
    ...section(
      "brings tools along",
      Object.entries(skill.tool_list).map(
        ([server, tools]) => `${plain(server)}: ${tools.length === 0 ? "all" : tools.map(plain).join(", ")}`,
      ),
    ),
    ...section(
      "problems",
      skill.problems.map(({ severity, path, message }) => `${severity}: ${plain(path)}: ${plain(message)}`),
    ),
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
      skill.parts.map((part) => `${part.id}  ${plain(part.description)}`),
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

function installedLine(
  { from, by, installed_at, changed, danger, warnings }: NonNullable<SkillDetail["package"]>,
  { plain, bad }: Terminal,
): string {
  const when = new Date(installed_at).toISOString().slice(0, 10);
  const state = changed ? bad("  its files changed since then") : "";
  return `installed ${when} by ${plain(by)} from ${plain(from)}, review: ${danger} dangerous, ${warnings} doubtful${state}`;
}

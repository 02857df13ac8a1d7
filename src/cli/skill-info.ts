import { ApiError } from "../client/api-error.ts";
import type { SkillDetail } from "../client/shapes.ts";
import { createPaint, type Paint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";
import type { SkillsOptions } from "./skills.ts";

/** `knack skills info`: one skill in full. */
export async function skillInfo(
  context: CommandContext,
  id: string,
  options: SkillsOptions,
): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    try {
      const skill = await client.skill(id, options.namespace);
      if (options.json) printJson(context, skill);
      else
        for (const line of describeSkill(skill, createPaint(wantsColours(context)))) printLine(context, line);
      return exitCode.ok;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      context.stderr.write(`${error.detail}\n`);
      if (options.json) printJson(context, { error: error.detail });
      return exitCode.failed;
    }
  });
}

function describeSkill(skill: SkillDetail, paint: Paint): string[] {
  const { id, name, kind, state, source, path, risk, version } = skill;
  const usable = skill.eligible
    ? paint.good("yes")
    : `${paint.bad("no")}: ${skill.reasons.map(plainLine).join(" ")}`;
  return [
    `${paint.bold(id)}  ${plainLine(name)} ${plainLine(version)}`,
    plainLine(skill.description),
    `kind ${kind}, category ${plainLine(skill.category)}, risk ${risk}, state ${state}`,
    `can be used: ${usable}`,
    ...(skill.notice === undefined ? [] : [paint.bad(plainLine(skill.notice))]),
    `from ${source}: ${plainLine(path)}`,
    paint.dim(`sha256 ${skill.hash}`),
    ...(skill.package === undefined ? [] : [installedLine(skill.package, paint)]),
    ...(skill.network.granted.length === 0
      ? []
      : [`its code may reach: ${skill.network.granted.map(plainLine).join(", ")}`]),
    ...list("brings tools along", toolLists(skill.tool_list), paint),
    ...list(
      "problems",
      skill.problems.map(
        ({ severity, path: file, message }) => `${severity}: ${plainLine(file)}: ${plainLine(message)}`,
      ),
      paint,
    ),
    ...list(
      "parameters",
      skill.parameters.map(
        (p) =>
          `${plainLine(p.name)} (${p.type}${p.required ? ", required" : ""})  ${plainLine(p.description)}`,
      ),
      paint,
    ),
    ...list(
      "tools",
      skill.tools.map((tool) => `${tool.name}  ${plainLine(tool.description)}`),
      paint,
    ),
    ...list(
      "parts",
      skill.parts.map((part) => `${part.id}  ${plainLine(part.description)}`),
      paint,
    ),
    ...list(
      "examples",
      skill.examples.map((example) => plainLine(example.prompt)),
      paint,
    ),
    ...list(
      "files",
      skill.files.map((file) => `${plainLine(file.path)}  ${file.bytes} bytes`),
      paint,
    ),
  ];
}

function installedLine(
  { from, by, installed_at, changed, danger, warnings }: NonNullable<SkillDetail["package"]>,
  paint: Paint,
): string {
  const when = new Date(installed_at).toISOString().slice(0, 10);
  const state = changed ? paint.bad("  its files changed since then") : "";
  const found = `review: ${danger} dangerous, ${warnings} doubtful`;
  return `installed ${when} by ${plainLine(by)} from ${plainLine(from)}, ${found}${state}`;
}

function toolLists(toolList: SkillDetail["tool_list"]): string[] {
  return Object.entries(toolList).map(
    ([server, tools]) =>
      `${plainLine(server)}: ${tools.length === 0 ? "all" : tools.map(plainLine).join(", ")}`,
  );
}

function list(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

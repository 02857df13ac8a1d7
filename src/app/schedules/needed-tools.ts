/** The tools that a task names when it is made, and whether they are the same when it runs. */
import { nearestNames } from "../../base/text/nearest-name.ts";
import { definitionOf } from "../../core/decisions/prevented-call.ts";
import type { GrantedTool } from "../../core/ports/schedules.ts";
import { mayBeOf, startingOf } from "../../core/scope/starting-skills.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { type Planning, refused } from "./planning.ts";

/** The answer of `toolsChanged` while a server has not listed its tools. */
export const starting = "starting";

async function readTools({ catalogue, offers }: Planning, namespace: string) {
  const current = await catalogue.current();
  const { offer } = await offers.read(namespace, current);
  const tools = [...offer.tools()].map(([name, { tool }]) => {
    const definition = definitionOf(tool, offer.all.get(tool.skill_id)?.skill);
    return { name, tool: tool.name, skill_id: tool.skill_id, definition };
  });
  return { tools, starting: startingOf(current.skills.values()) };
}

/** The tools as they are now, for people to approve. Fails when one does not exist. */
export async function resolveTools(
  planning: Planning,
  names: readonly string[],
  namespace: string,
): Promise<Outcome<GrantedTool[]>> {
  if (names.length === 0) return { ok: true, value: [] };
  const { tools } = await readTools(planning, namespace);
  const resolved: GrantedTool[] = [];
  for (const wanted of new Set(names)) {
    if (planning.metaTools.some(({ name }) => name === wanted)) continue;
    const { tool, skill_id = "", definition } = tools.find(({ name }) => name === wanted) ?? {};
    if (tool === undefined || definition === undefined) return unknownTool(wanted, tools);
    resolved.push({ tool, skill_id, definition });
  }
  return { ok: true, value: resolved };
}

function unknownTool(name: string, tools: readonly { name: string }[]): Outcome<never> {
  const known = tools.map((tool) => tool.name);
  const near = nearestNames(name, known).join(", ");
  return refused(`There is no tool ${name.slice(0, 100)} here.${near === "" ? "" : ` Nearest: ${near}.`}`);
}

/** Why the tools are no longer those that people approved, as a sentence; `starting` while that is unknown. */
export async function toolsChanged(
  planning: Planning,
  granted: readonly GrantedTool[],
  namespace: string,
): Promise<string | undefined> {
  if (granted.length === 0) return undefined;
  const { tools, starting: skills } = await readTools(planning, namespace);
  for (const { tool, skill_id, definition } of granted) {
    const now = tools.find((each) => each.tool === tool && each.skill_id === skill_id)?.definition;
    if (now === definition) continue;
    if (skills.some((skill) => skill.id === skill_id || mayBeOf(tool, skill))) return starting;
    return now === undefined
      ? `The tool ${tool} that it uses no longer exists.`
      : `The tool ${tool} that it uses has changed since it was approved.`;
  }
  return undefined;
}

import type { ModelEvent } from "../ports/model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { serverSkillId } from "../skill/catalogue.ts";
import { fingerprint } from "../values/told.ts";

/** The event with the tools that a provider refuses. */
export type LeftOut = Extract<ModelEvent, { type: "left_out" }>;

/** The left-out tools that the transcript does not mention yet; undefined when it mentions all. */
export function untoldOf({ transcript }: TurnScope, event: LeftOut): LeftOut | undefined {
  const told = transcript?.told.left_out ?? {};
  const tools = event.tools.filter(({ name }) => told[name] !== printOf(transcript, name));
  return tools.length === 0 ? undefined : { ...event, tools };
}

/** Fingerprint of a tool's definition: a changed definition may be refused for another reason. */
function printOf(transcript: TurnScope["transcript"], name: string): string {
  return fingerprint(JSON.stringify(transcript?.tools.get(name) ?? name));
}

/**
 * Tells the model and the people of the thread which tools are left out. Only people read the provider's reason: it may quote text of a
 * tool's server, which the model must not take as an instruction.
 */
export async function tellLeftOut(scope: TurnScope, { model, tools, all }: LeftOut): Promise<void> {
  const { transcript, ports } = scope;
  const found = tools.map(({ name, why }) => ({ name, why, ...originOf(scope, name) }));
  const lines = found.map(({ name, origin }) => `- ${name}, a tool of ${origin}`);
  const text = all
    ? `No tools are available while ${model} answers, because it takes none. Answer in words; if a tool is needed, say so.`
    : `Not available while ${model} answers, because its provider refuses how they are described. Do not call them; if one of them is needed, say that it is left out and why:\n${lines.join("\n")}`;
  const prints = found.map(({ name }) => [name, printOf(transcript, name)]);
  const left_out = { ...transcript?.told.left_out, ...Object.fromEntries(prints) };
  await scope.emit({ type: "transcript_changed", message: { role: "system", text }, told: { left_out } });
  const people = found.map(
    ({ tool, origin, why }) => `${tool} of ${origin}, because ${model} refuses it (${why})`,
  );
  const ids = [...new Set(found.map(({ skill_id }) => skill_id))];
  const remedy = ids.map((id) => `\`/skill disable ${id}\``).join(" or ");
  const left = people.length === 1 ? "A tool is left out here" : "Tools are left out here";
  const some = `${left}: ${people.join("; ")}. Everything else works; ${remedy} disables it permanently.`;
  const told = all
    ? `${model} cannot call tools, so this answer comes without any. Choose another model.`
    : some;
  await scope.emit({
    type: "tools_left_out",
    tools: found.map(({ name, skill_id }) => ({ tool: name, skill_id })),
    text: ports.redact(told),
  });
}

function originOf(
  { offer, ownTools }: TurnScope,
  name: string,
): { tool: string; origin: string; skill_id: string } {
  const tool = offer.tools().get(name)?.tool ?? ownTools.get(name);
  if (tool?.server === undefined) {
    const skill_id = tool?.skill_id ?? name;
    return { tool: name, origin: `the skill ${skill_id}`, skill_id };
  }
  const { server, tool: own } = tool.server;
  return { tool: own, origin: `the tool server ${server}`, skill_id: serverSkillId(server) };
}

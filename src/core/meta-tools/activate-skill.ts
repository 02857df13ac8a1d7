import { z } from "zod";
import { cutText } from "../../base/markdown-text.ts";
import { rightRefusal } from "../decisions/prevented-call.ts";
import { innerCallId } from "../log/call-id.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { hasManyTools, isActive, type OfferedSkill, skillsIn } from "../skill/namespace-state.ts";
import { isFollowed, type Skill } from "../skill/skill.ts";
import { onlyFor, resolveSkill } from "../skill/skill-identifier.ts";
import { type ErrorResult, failure, type ToolResult } from "../skill/tool.ts";
import { guideFor } from "../transcript/guides.ts";
import { invokeSkill } from "../turn/invoke-skill.ts";
import { activate, howToFindSkills } from "../turn/toolset.ts";
import { type Json, namesInWords, toJson } from "../values/json.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";

export const createActivateSkill = () =>
  defineMetaTool({
    name: "activate_skill",
    category: "skill",
    shown: "whole",
    title: ({ skill_name }) => `Learning the skill ${skill_name}`,
    description:
      "Activates a skill for this conversation: returns its guide, and its tools are there in your next step.",
    parameters: z.object({ skill_name: z.string().min(1).describe("the skill's id") }),
    effect: "idempotent",
    offered: () => true,
    run: async ({ skill_name }, context, scope) => {
      const found = findOffered(scope, skill_name);
      if (found.status === "error") return found;
      const refusal = await rightRefusal(scope, { skill_id: found.offered.skill.id });
      if (refusal !== undefined) return failure("not_permitted", refusal);
      const { skill } = found.offered;
      // An interrupted call that is run again returns its original result.
      const isRepeated = scope.conversation.activated.get(skill.id) === context.call_id;
      if (isActive(found.offered) && !isRepeated)
        return ok(`skill ${skill.id} already activated, ${currentSkills(scope)}`);
      await activate(scope, skill.id, context.call_id);
      const said = [`skill ${skill.id} activated, ${currentSkills(scope)}`, guideFor(scope, skill)];
      return ok([...said, ...toolsLine(scope, found.offered)].join("\n"));
    },
  });

function toolsLine({ offer }: TurnScope, offered: OfferedSkill): string[] {
  const { skill } = offered;
  if (hasManyTools(offered))
    return [`It has ${skill.tools.length} tools: find_tools(words) adds those that fit.`];
  const tools = [...offer.tools()].flatMap(([name, { roots }]) => (roots.includes(skill.id) ? name : []));
  return tools.length === 0 ? [] : [`Tools now available: ${namesInWords(tools)}`];
}

/** Maximum tools that a search adds. */
const maxFound = 5;

/** Adds the fitting tools of servers that have too many to show all of them. */
export const createFindTools = () =>
  defineMetaTool({
    name: "find_tools",
    category: "skill",
    title: ({ words }) => `Looking for tools: ${words}`,
    description:
      "Adds up to five tools of servers with many tools; they are there in your next step. Search again for others.",
    parameters: z.object({
      words: z.string().min(1).max(200).describe("what they should do, e.g. list open issues"),
      server: z.string().optional().describe("only this server's id"),
    }),
    effect: "idempotent",
    offered: () => true,
    needed: ({ many_tools }) => many_tools,
    run: async ({ words, server }, { call_id }, scope) => {
      const wanted = server === undefined ? undefined : findOffered(scope, server);
      if (wanted?.status === "error") return wanted;
      const servers = scope.offer.usable.filter(
        (each) => hasManyTools(each) && (wanted === undefined || wanted.offered.skill.id === each.skill.id),
      );
      const found = toolsFor(scope, words, new Set(servers.map(({ skill }) => skill.id)));
      if (found.length === 0) {
        const counts = servers.map(({ skill }) => `${skill.id} has ${skill.tools.length}`).join(", ");
        return failure("no_tool", `No tool fits “${words}”.`, `Try other words, in English; ${counts}.`);
      }
      return ok(await added(scope, found, call_id));
    },
  });

function toolsFor({ offer }: TurnScope, words: string, servers: ReadonlySet<string>): OfferedSkill[] {
  const usable = new Map(offer.usable.map((offered) => [offered.skill.id, offered]));
  const fitting = offer.catalogue.searchTools(words).flatMap(({ id }) => usable.get(id) ?? []);
  return fitting.filter(({ skill }) => servers.has(skill.parent ?? "")).slice(0, maxFound);
}

/** Activates these tools, and their servers, whose guides follow. Tools that the asker may not use are named with the reason. */
async function added(scope: TurnScope, found: readonly OfferedSkill[], callId: string): Promise<string> {
  const names = new Map([...scope.offer.tools()].map(([name, { tool }]) => [tool.skill_id, name]));
  const lines: string[] = [];
  const guides = new Set<string>();
  for (const { skill } of found) {
    const refusal = await rightRefusal(scope, { skill_id: skill.id });
    lines.push(`- ${names.get(skill.id)}${refusal === undefined ? "" : `: ${refusal}`}`);
    const server = scope.offer.all.get(skill.parent ?? "");
    if (refusal !== undefined || server === undefined) continue;
    // An interrupted call that is run again returns its original result.
    const isNew = !isActive(server) || scope.conversation.activated.get(server.skill.id) === callId;
    if (isNew) guides.add(guideFor(scope, server.skill));
    await activate(scope, server.skill.id, callId);
    await activate(scope, skill.id, callId);
  }
  return ["Tools that fit, there in your next step:", ...lines, ...guides].join("\n");
}

type FoundSkill = { status: "ok"; offered: OfferedSkill } | ErrorResult;

/** Finds a usable skill by any of its names; otherwise returns the reason for the model. */
export function findOffered(scope: TurnScope, name: string): FoundSkill {
  const { offer } = scope;
  const isHidden = (id: string) => offer.personOnly.some(({ skill }) => skill.id === id);
  const known = skillsIn(offer).filter(({ id }) => !isHidden(id));
  const resolved = resolveSkill(name, known);
  const offered = resolved.status === "found" ? offer.all.get(resolved.id) : undefined;
  if (offered === undefined) {
    const near = resolved.status === "unknown" ? resolved.nearest : [];
    const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : howToFindSkills(scope);
    return failure("skill_not_found", "skill not found", hint);
  }
  const reason = offered.state === "blocked" ? "a person disabled it in this channel" : offered.reasons[0];
  if (reason !== undefined) {
    const message = `skill ${offered.skill.id} cannot be used here: ${reason}`;
    return failure("not_usable", message, "Go on without it and tell the person why.");
  }
  if (!offer.usable.includes(offered)) {
    const message = `skill ${offered.skill.id} has to be enabled here by a person first (/skill enable ${offered.skill.id})`;
    return failure("not_enabled", message, "Go on without it and tell the person.");
  }
  return { status: "ok", offered };
}

/** `current skills: [a, b]`, the current list. */
function currentSkills({ offer }: TurnScope): string {
  const active = offer.usable.filter((offered) => offered.skill.parent === undefined && isActive(offered));
  return `current skills: [${active.map((offered) => offered.skill.id).join(", ")}]`;
}

/** Maximum skills in one result; a query narrows the list. */
const maxList = 20;

/** Maximum characters of a description in a list. */
const maxDescription = 400;

/** Number of best matches that are listed with their parameters; `activate_skill` shows those of the others. */
const fullyDescribed = 8;

export const createListSkills = () =>
  defineMetaTool({
    name: "list_skills",
    category: "skill",
    shown: "whole",
    title: ({ query }) => (query ? "Looking for a fitting skill" : "Looking at the skills"),
    description: "Lists the skills of this channel, best match first when a query is given.",
    parameters: z.object({
      category: z
        .string()
        .optional()
        .describe("only this category, e.g. research, data, creative, automation, code"),
      query: z.string().optional().describe("words that say what is needed"),
    }),
    effect: "read_only",
    offered: () => true,
    // The offline provider compares every message with the names and examples of the skills.
    needed: ({ unlisted, models }) => unlisted > 0 || !models.main.generative,
    run: async ({ category, query }, _context, { offer, ports }) => {
      const usable = new Map(offer.usable.map((offered) => [offered.skill.id, offered]));
      const order =
        query === undefined ? [...usable.keys()] : offer.catalogue.search(query).map((skill) => skill.id);
      const found = order
        .flatMap((id) => usable.get(id) ?? [])
        .filter(
          ({ skill }) =>
            skill.parent === undefined && (category === undefined || skill.category === category),
        );
      if (offer.lacking.includes("model")) return ok({ skills: found.map(({ skill }) => exactForms(skill)) });
      const skills = found.slice(0, maxList).map((offered, index) => {
        const only_for = onlyFor(ports.rights, { skill_id: offered.skill.id });
        return {
          ...describe(offered, index < fullyDescribed),
          ...(only_for === undefined ? {} : { only_for }),
        };
      });
      const more = found.length - skills.length;
      return ok({
        skills,
        count: skills.length,
        category: category ?? null,
        ...(more > 0 ? { more: `${more} more; narrow the query` } : {}),
      });
    },
  });

/** What the offline provider compares a message with: names, and the examples that need nothing that may be missing. */
function exactForms({ id, name, parameters, examples }: Skill): Json {
  const runnable = examples.filter((each) => isFollowed(each, ["model"]) && (each.needs ?? []).length === 0);
  return toJson({ id, name, parameters, examples: runnable });
}

function describe({ skill, state }: OfferedSkill, fully: boolean) {
  const parts = skill.tools.length > 1 ? { parts: skill.tools.map((tool) => tool.skill_id) } : {};
  return {
    id: skill.id,
    name: skill.name,
    description: cutText(skill.description, maxDescription),
    category: skill.category,
    ...(fully ? { parameters: toJson(skill.parameters) } : {}),
    tags: [...skill.tags],
    state,
    ...parts,
  };
}

export const createOffloadSkill = () =>
  defineMetaTool({
    name: "offload_skill",
    category: "skill",
    title: ({ skill_name }) => `Putting the skill ${skill_name} away`,
    description:
      "Puts an active skill away when it is no longer needed; its tools are gone in your next step.",
    parameters: z.object({ skill_name: z.string().min(1).describe("the skill's id") }),
    effect: "idempotent",
    offered: () => true,
    needed: ({ active }) => active.some(({ state }) => state === "active"),
    run: async ({ skill_name }, _context, scope) => {
      const found = findOffered(scope, skill_name);
      if (found.status === "error" || !isActive(found.offered)) {
        return failure("skill_not_found", `skill ${skill_name} not found, ${currentSkills(scope)}`);
      }
      const { skill, state, by_parent } = found.offered;
      if (by_parent === true) {
        const message = `skill ${skill.id} is a part of ${skill.parent}, which is put away as a whole`;
        return failure("part", `${message}, ${currentSkills(scope)}`);
      }
      if (state === "pinned") {
        return failure(
          "pinned",
          `skill ${skill.id} was enabled by a person and stays, ${currentSkills(scope)}`,
        );
      }
      await scope.emit({ type: "skill_offloaded", skill_id: skill.id, by: "agent" });
      return ok(`skill ${skill.id} offloaded, ${currentSkills(scope)}`);
    },
  });

export const createInvokeSkill = () =>
  defineMetaTool({
    name: "invoke_skill",
    category: "skill",
    title: ({ skill_id }) => `Using the skill ${skill_id.split("#", 1)[0]}`,
    description: "Runs a listed skill once, or a part of one. Without params it answers which it takes.",
    parameters: z.object({
      skill_id: z.string().min(1).describe("id, or id#part"),
      params: z.record(z.string(), z.unknown()).default({}).describe("as its line says"),
    }),
    effect: "idempotent",
    offered: () => true,
    run: async ({ skill_id, params }, context, scope, request) => {
      const expected_parameters = Object.keys(params).length > 0 ? undefined : missingFor(scope, skill_id);
      if (expected_parameters !== undefined) return ok({ skill_id, expected_parameters });
      const result = await invokeSkill(
        scope,
        request,
        innerCallId(context.call_id, 1),
        skill_id,
        params as Json,
      );
      return asInvocation(skill_id, result);
    },
  });

/** `{skill_id, output, success: true}`; an error keeps its details, and a direct output stays direct. */
function asInvocation(skillId: string, result: ToolResult): ToolResult {
  if (result.status === "error" || result.direct) return result;
  const { output, readable } = result;
  const answer = { skill_id: skillId, output, success: true };
  return { status: "ok", output: answer, readable };
}

/** The parameters of a skill that cannot run without any; otherwise undefined. */
function missingFor(scope: TurnScope, skillId: string): Json | undefined {
  const found = findOffered(scope, skillId);
  if (found.status === "error") return undefined;
  const { tools, parameters } = found.offered.skill;
  return tools.length === 1 && parameters.some(({ required }) => required) ? toJson(parameters) : undefined;
}

import { z } from "zod";
import { rightRefusal } from "../decisions/right-refusal.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { guide } from "../skill/guide.ts";
import { isActive, type OfferedSkill } from "../skill/offer.ts";
import { resolveSkill } from "../skill/skill-identifier.ts";
import type { ToolResult } from "../skill/tool.ts";
import { activate } from "../turn/toolset.ts";
import { someOf } from "../values/some-of.ts";
import { defineMetaTool, failure, ok } from "./meta-tool.ts";

export const createActivateSkill = () =>
  defineMetaTool({
    name: "activate_skill",
    category: "skill",
    shown: "guide",
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
      // A call that was interrupted and is made again answers what it would have answered.
      const isRepeated = scope.state.activated.get(skill.id) === context.call_id;
      if (isActive(found.offered) && !isRepeated)
        return ok(`skill ${skill.id} already activated, ${currentSkills(scope)}`);
      await activate(scope, skill.id, context.call_id);
      return ok(activationText(scope, found.offered));
    },
  });

function activationText(scope: TurnScope, { skill }: OfferedSkill): string {
  const lines = [`skill ${skill.id} activated, ${currentSkills(scope)}`, guide(skill)];
  const tools = [...scope.offer.tools()].flatMap(([name, { roots }]) =>
    roots.includes(skill.id) ? name : [],
  );
  if (tools.length > 0) lines.push(`Tools now available: ${someOf(tools)}`);
  return lines.join("\n");
}

export type FoundSkill = { status: "ok"; offered: OfferedSkill } | (ToolResult & { status: "error" });

/** A skill by any of its names, usable here; otherwise why not, for the model. */
export function findOffered(scope: TurnScope, name: string): FoundSkill {
  const { offer } = scope;
  const isHidden = (id: string) => offer.personOnly.some(({ skill }) => skill.id === id);
  const known = [...offer.catalogue.skills.values()].filter(({ id }) => !isHidden(id));
  const resolved = resolveSkill(name, known);
  const offered = resolved.status === "found" ? offer.all.get(resolved.id) : undefined;
  if (offered === undefined) {
    const near = resolved.status === "unknown" ? resolved.nearest : [];
    const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : "list_skills shows what there is.";
    return { ...failure("skill_not_found", "skill not found", hint), status: "error" } as FoundSkill & {
      status: "error";
    };
  }
  const reason = offered.state === "blocked" ? "a person disabled it in this channel" : offered.reasons[0];
  if (reason !== undefined) {
    const message = `skill ${offered.skill.id} cannot be used here: ${reason}`;
    return {
      status: "error",
      code: "not_usable",
      message,
      hint: "Go on without it and tell the person why.",
    };
  }
  if (!offer.usable.includes(offered)) {
    const message = `skill ${offered.skill.id} has to be enabled here by a person first (/skill enable ${offered.skill.id})`;
    return { status: "error", code: "not_enabled", message, hint: "Go on without it and tell the person." };
  }
  return { status: "ok", offered };
}

/** `current skills: [a, b]`, as of now. */
export function currentSkills({ offer }: TurnScope): string {
  const active = offer.usable.filter((offered) => offered.skill.parent === undefined && isActive(offered));
  return `current skills: [${active.map((offered) => offered.skill.id).join(", ")}]`;
}

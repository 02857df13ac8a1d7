import { z } from "zod";
import { isActive } from "../skill/offer.ts";
import { currentSkills, findOffered } from "./activate-skill.ts";
import { defineMetaTool, failure, ok } from "./meta-tool.ts";

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
    run: async ({ skill_name }, _context, scope) => {
      const found = findOffered(scope, skill_name);
      if (found.status === "error" || !isActive(found.offered)) {
        return failure("skill_not_found", `skill ${skill_name} not found, ${currentSkills(scope)}`);
      }
      const { skill, state } = found.offered;
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

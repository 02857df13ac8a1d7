import { z } from "zod";
import type { ToolResult } from "../skill/tool.ts";
import { invokeSkill } from "../turn/invoke-skill.ts";
import type { Json } from "../values/json.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";

export const createInvokeSkill = () =>
  defineMetaTool({
    name: "invoke_skill",
    category: "skill",
    title: ({ skill_id }) => `Using the skill ${skill_id}`,
    description: "Runs a skill once without activating it. list_skills shows ids and parameters.",
    parameters: z.object({
      skill_id: z.string().min(1),
      params: z.record(z.string(), z.unknown()).default({}).describe("the skill's parameters"),
    }),
    effect: "idempotent",
    offered: () => true,
    run: async ({ skill_id, params }, context, scope, request) => {
      const result = await invokeSkill(scope, request, `${context.call_id}/1`, skill_id, params as Json);
      return asInvocation(skill_id, result);
    },
  });

/** `{skill_id, output, success: true}`; an error keeps its details. A direct output stays one. */
function asInvocation(skillId: string, result: ToolResult): ToolResult {
  if (result.status === "error" || result.direct) return result;
  return ok({ skill_id: skillId, output: result.output, success: true });
}

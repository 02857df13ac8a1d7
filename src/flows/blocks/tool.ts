import { z } from "zod";
import { errorText } from "../../base/error-text.ts";
import { parseExactly } from "../../base/exact-number.ts";
import { SkillFailure } from "../../core/skill/define-skill.ts";
import type { Json } from "../../core/values/json.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { defineControl } from "../block.ts";
import { resolve, substitute, substituteJson, type Variables } from "../substitute.ts";

const config = z.object({
  tool: z.string().trim().min(1, "it is missing"),
  input: jsonSchema.nullish(),
});
type ToolStep = z.output<typeof config>;

/**
 * Runs a skill, a part of one, another flow or a tool of an MCP server. Its own effect does not matter: after a crash the effect of its
 * call decides whether it is run again.
 */
export const tool = defineControl({
  config,
  effect: () => "idempotent",
  delegates: true,
  summary: ({ tool: id }) => (id.includes("${") ? "Running a skill" : `Running ${id}`),
  // Not within a journalled step: calls are numbered, so on resume each call is repeated and answered from the log.
  async run(made, { variables, context, record }) {
    const result = await context.invoke(substitute(made.tool, variables), inputOf(made, variables));
    if (result.status === "error") throw new SkillFailure(result.code, result.message, result.hint);
    await record(true);
    return { kind: "result", result: result.output };
  },
  describe: (made, { variables }) => ({
    tool: substitute(made.tool, variables),
    input: inputOf(made, variables),
  }),
});

/** The input: an object with filled-in strings, or JSON text with placeholders. @throws SkillFailure `invalid_input` */
function inputOf({ input }: ToolStep, variables: Variables): Json {
  if (typeof input !== "string") return resolve(input ?? {}, variables) ?? {};
  try {
    return parseExactly(substituteJson(input, variables)) as Json;
  } catch (cause) {
    const reason = errorText(cause);
    throw new SkillFailure("invalid_input", `The input is not JSON: ${reason}. Correct it in the flow.`);
  }
}

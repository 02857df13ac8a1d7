import { z } from "zod";
import { SkillFailure } from "../../core/skill/define-skill.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { defineBlock } from "../block.ts";
import { substituteDeep } from "../substitute.ts";

const config = z.object({
  instruction: jsonSchema.refine(
    (instruction) => instruction !== "" && instruction !== null,
    "it is missing",
  ),
  /** Not in AnythingLLM: `provider/model`, or `small` for the small model. */
  model: z
    .string()
    .regex(/^(?:small|[a-z][a-z0-9_-]*\/\S+)$/, "it is neither small nor provider/model")
    .optional(),
});

/** Sends the model one instruction as a plain message, as AnythingLLM does. The result is its text in any format. */
export const llmInstruction = defineBlock({
  config,
  repeatable: () => true,
  summary: () => "Asking the model",
  async run({ instruction, model }, { variables, context }) {
    if (!context.generative) {
      const message = "This step needs a model that can write, and none is configured.";
      throw new SkillFailure("no_model", message, "Tell the person; an operator can configure one.");
    }
    const filled = substituteDeep(instruction, variables);
    return context.write({ input: typeof filled === "string" ? filled : JSON.stringify(filled), model });
  },
  describe: ({ instruction, model }, { variables }) => ({
    instruction: substituteDeep(instruction, variables),
    ...(model === undefined ? {} : { model }),
  }),
});

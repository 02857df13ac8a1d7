import { z } from "zod";
import { SkillFailure } from "../../core/define-skill.ts";
import { defineBlock } from "../block.ts";
import { substituteDeep } from "../substitute.ts";

const config = z.object({
  instruction: z.json().refine((instruction) => instruction !== "" && instruction !== null, "it is missing"),
});

/** Sends the model one instruction as a plain message, as AnythingLLM does. The result is its text, whatever form it has. */
export const llmInstruction = defineBlock({
  config,
  repeatable: () => true,
  summary: () => "Asking the model",
  async run({ instruction }, { variables, context }) {
    if (!context.generative) {
      const message = "This step needs a model that can write, and none is configured.";
      throw new SkillFailure("no_model", message, "Tell the person; an operator can configure one.");
    }
    const filled = substituteDeep(instruction, variables);
    return context.write({ input: typeof filled === "string" ? filled : JSON.stringify(filled) });
  },
  describe: ({ instruction }, { variables }) => ({ instruction: substituteDeep(instruction, variables) }),
});

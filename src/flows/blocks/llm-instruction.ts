import { z } from "zod";
import { SkillFailure } from "../../core/define-skill.ts";
import { defineBlock } from "../block.ts";
import { substituteDeep } from "../substitute.ts";

const config = z.object({
  instruction: z.json().refine((instruction) => instruction !== "" && instruction !== null, "it is missing"),
});

/** Lets the model follow one instruction, without tools and without the conversation. The result is its text. */
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
    const { text } = await context.generate({
      instructions: "Do what the message asks. Put the whole answer into `text`.",
      input: typeof filled === "string" ? filled : JSON.stringify(filled),
      schema: z.object({ text: z.string() }),
    });
    return text;
  },
  describe: ({ instruction }, { variables }) => ({ instruction: substituteDeep(instruction, variables) }),
});

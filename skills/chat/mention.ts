import { z } from "zod";
import { definePart } from "../../src/core/skill/define-skill.ts";

/** Lets the answer call people whom the message did not mention. */
export const mention = definePart({
  title: "Mentioning people",
  description:
    "Lets your messages notify people or groups the request did not mention. Then write what it returns.",
  parameters: z.object({ ids: z.array(z.string().min(1).max(200)).min(1).max(50) }),
  output: z.object({ write: z.array(z.object({ name: z.string(), mention: z.string() })) }),
  effect: "idempotent",
  async run({ ids }, { chat }) {
    const named = await chat.name(ids);
    return { write: named.map(({ name, mention: write }) => ({ name, mention: write })) };
  },
});

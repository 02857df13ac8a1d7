import { z } from "zod";
import { definePart } from "../../src/core/skill/define-skill.ts";

/** Posts a message beside the answer. */
export const send = definePart({
  title: "Sending a message",
  description:
    "Posts a message elsewhere: another channel, a direct message, or this channel outside of the thread. Not for your answer.",
  parameters: z.object({
    to: z.string().min(1).max(200).describe("#channel, a person's id, or here"),
    text: z.string().min(1).max(8_000),
    thread: z.string().max(200).optional().describe("with here: id of the message to reply to"),
    files: z.array(z.string().max(500)).default([]).describe("paths in the working folder"),
  }),
  output: z.object({ sent: z.literal(true), where: z.string(), id: z.string(), link: z.string().optional() }),
  effect: "idempotent",
  async run({ to, text, thread, files }, { chat }) {
    const { where, id, link } = await chat.send({ to, text, thread, files });
    return { sent: true as const, where, id, ...(link === undefined ? {} : { link }) };
  },
});

import { z } from "zod";
import { definePart, SkillFailure } from "../../src/core/skill/define-skill.ts";

const deeds = ["react", "unreact", "pin", "unpin", "edit", "delete"] as const;

/** Does something to a message of this channel. */
export const act = definePart({
  title: "Acting on a message",
  description: "Reacts to or pins a message of this channel; edits or deletes one of the bot's own.",
  parameters: z.object({
    do: z.enum(deeds),
    message: z.string().min(1).max(200).describe("its id; this: the one you answer; last: your last here"),
    emoji: z.string().max(100).optional().describe("name, e.g. thumbsup"),
    text: z.string().max(8_000).optional().describe("the new text, whole"),
  }),
  output: z.object({ done: z.literal(true) }),
  effect: "idempotent",
  async run({ do: deed, message, emoji, text }, { chat }) {
    if (deed === "react" || deed === "unreact") {
      if (emoji === undefined) throw new SkillFailure("no_emoji", "Which emoji?", "Give its name as emoji.");
      await chat.react(message, emoji.replace(/^:|:$/g, ""), deed === "react");
    } else if (deed === "pin" || deed === "unpin") await chat.pin(message, deed === "pin");
    else if (deed === "delete") await chat.remove(message);
    else {
      if (text === undefined)
        throw new SkillFailure("no_text", "What shall it say?", "Give the whole new text.");
      await chat.edit(message, text);
    }
    return { done: true as const };
  },
});

import { DateTime } from "luxon";
import { z } from "zod";
import type { FoundMessages } from "../../src/core/ports/chat-actions.ts";
import { definePart, SkillFailure } from "../../src/core/skill/define-skill.ts";
import { showMessage, shownMessageSchema, timeIn, timeSchema } from "./message.ts";

const most = 50;

/** Searches what was said in a channel. */
export const search = definePart({
  title: "Searching the channel",
  description: "Searches what was said in a channel, the latest first.",
  parameters: z.object({
    words: z.string().trim().min(1).max(300).describe("all have to occur"),
    channel: z.string().max(200).optional().describe("its name; this one unless given"),
    from: z.string().max(200).optional().describe("id of the author"),
    since: timeSchema,
    until: timeSchema,
  }),
  output: z.object({
    channel: z.string(),
    time_zone: z.string().describe("of the times"),
    messages: z.array(shownMessageSchema),
    note: z.string().optional(),
  }),
  async run({ words, channel, from, since, until }, context) {
    const { chat, time_zone } = context;
    const found = await chat.channel(channel);
    const wanted = words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
    if (wanted.length === 0)
      throw new SkillFailure("no_words", "There is no word to search for.", "Read the channel instead.");
    const author = from?.replace(/^<?@?!?|>$/g, "");
    const range = { since: timeIn(since, context), until: timeIn(until, context) };
    const result = await chat.search(found, { words: wanted, author, ...range, most });
    const note = noteOn(result, time_zone);
    return {
      channel: found.name,
      time_zone,
      messages: result.messages.map((message) => showMessage(message, time_zone)),
      ...(note === undefined ? {} : { note }),
    };
  },
});

function noteOn({ complete, since, by, messages }: FoundMessages, zone: string): string | undefined {
  if (complete) return messages.length === 0 ? "Nothing fits; other words or their stems may." : undefined;
  const from =
    since === undefined
      ? "the latest messages"
      : `what was said since ${DateTime.fromMillis(since, { zone }).toISODate()}`;
  const more = by === "history" ? " A manager can switch on an index with /agent index on." : "";
  return `Only ${from} was looked at.${more}`;
}

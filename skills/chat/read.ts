import { z } from "zod";
import { definePart } from "../../src/core/skill/define-skill.ts";
import { showMessage, shownMessageSchema, timeIn, timeSchema } from "./message.ts";

/** Messages of one answer, unless asked otherwise, and at most. */
const usual = 100;
const most = 500;

/** The latest messages of a channel or a thread. */
export const read = definePart({
  title: "Reading the channel",
  description: "Reads a channel's or thread's messages, with links; also names the channels there are.",
  parameters: z.object({
    channel: z.string().max(200).optional().describe("its name; this one unless given; * lists channels"),
    thread: z.string().max(200).optional().describe("thread of a message"),
    since: timeSchema.describe("Monday; yesterday at 9; 2026-11-23T09:00; local"),
    until: timeSchema,
    most: z.number().int().min(1).max(most).default(usual),
    alone: z.boolean().default(false).describe("answer only the person: for summaries"),
  }),
  output: z.object({
    channel: z.string().optional(),
    channels: z.array(z.string()).optional(),
    time_zone: z.string().optional().describe("of the times"),
    messages: z.array(shownMessageSchema).optional(),
    note: z.string().optional(),
  }),
  async run({ channel, thread, since, until, most: wanted, alone }, context) {
    const { chat, time_zone } = context;
    if (channel === "*") {
      const channels = await chat.channels();
      return {
        channels: channels.map(({ name, topic = "" }) => (topic === "" ? name : `${name}: ${topic}`)),
      };
    }
    const found = await chat.channel(channel);
    const range = { since: timeIn(since, context), until: timeIn(until, context) };
    const { messages, more } = await chat.read(found, { ...range, thread, most: wanted, alone });
    const note = more ? "There are earlier messages in this range: read on with until." : undefined;
    return {
      channel: found.name,
      time_zone,
      messages: messages.map((message) => showMessage(message, time_zone)),
      ...(note === undefined ? {} : { note }),
    };
  },
});

import { DateTime } from "luxon";
import { z } from "zod";
import type { ChannelMessage, ChannelSummary, FoundMessages } from "../../src/core/ports/chat-actions.ts";
import { definePart, defineSkillParts, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ChatWork } from "../../src/core/skill/work-context.ts";
import { objectOf } from "../../src/core/values/json.ts";
import { labelOf, named } from "../../src/core/values/label.ts";
import { showMessage, shownMessageSchema, timeIn, timeSchema } from "./message.ts";

/** Default and maximum number of messages in one answer. */
const usualRead = 100;
const maxRead = 500;

/** The latest messages of a channel or a thread. */
const readChannel = definePart({
  title: "Reading the channel",
  description:
    "Reads the latest messages of a channel or thread, with links to cite; also names the channels.",
  parameters: z.object({
    channel: z.string().max(200).optional().describe("its name; this one unless given; * lists channels"),
    thread: z.string().max(200).optional().describe("thread of a message"),
    since: timeSchema.describe("ISO: 2026-11-23 or 2026-11-23T09:00; local"),
    until: timeSchema.describe("ISO, as since"),
    most: z.number().int().min(1).max(maxRead).default(usualRead),
    alone: z.boolean().default(false).describe("only the person sees your answer"),
  }),
  output: z.object({
    channel: z.string().optional(),
    channels: z.array(z.string()).optional().describe("names, ids and topics"),
    time_zone: z.string().optional().describe("of the times"),
    messages: z.array(shownMessageSchema).optional(),
    note: z.string().optional(),
  }),
  async run({ channel, thread, since, until, most: wanted, alone }, context) {
    const { chat, time_zone } = context;
    if (channel === "*") {
      const channels = await chat.channels();
      return { channels: channels.map(showChannel) };
    }
    const found = await chat.channel(channel);
    const range = { since: timeIn(since, context), until: timeIn(until, context) };
    const { messages, more } = await chat.read(found, { ...range, thread, most: wanted, alone });
    const oldest = () => DateTime.fromMillis(Math.min(...messages.map(({ at }) => at)), { zone: time_zone });
    return {
      channel: showChannel(found),
      time_zone,
      messages: messages.map((message) => showMessage(message, time_zone)),
      note: more
        ? `There are earlier messages in this range: read on with until ${oldest().toISO()}.`
        : undefined,
    };
  },
});

/** `"general" (slack:T0ACME:C0GENERAL): the topic`. */
function showChannel({ name, namespace, topic = "" }: ChannelSummary): string {
  return `${named(name, namespace)}${topic === "" ? "" : `: ${topic}`}`;
}

const maxHits = 50;

/** Searches the messages of a channel. */
const searchChannel = definePart({
  title: "Searching the channel",
  description: "Finds what people said or talked about in a channel, the latest first, with links to cite.",
  parameters: z.object({
    words: z.string().trim().min(1).max(300).describe("all have to occur"),
    channel: z.string().max(200).optional().describe("its name; this one unless given; * all"),
    from: z.string().max(200).optional().describe("author's name or id; <@id> of one who left"),
    since: timeSchema,
    until: timeSchema,
  }),
  output: z.object({
    channel: z.string(),
    time_zone: z.string().describe("of the times"),
    messages: z.array(shownMessageSchema.extend({ channel: z.string().optional() })),
    note: z.string().optional(),
  }),
  async run({ words, channel, from, since, until }, context) {
    const { chat, time_zone } = context;
    const wanted = words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
    if (wanted.length === 0)
      throw new SkillFailure("no_words", "The search has no words.", "Read the channel instead.");
    const range = { since: timeIn(since, context), until: timeIn(until, context) };
    const query = { words: wanted, author: from, ...range, most: maxHits };
    if (channel === "*") return foundAnywhere(await chat.searchAll(query), time_zone);
    const found = await chat.channel(channel);
    const result = await chat.search(found, query);
    return {
      channel: named(found.name, found.namespace),
      time_zone,
      messages: result.messages.map((message) => showMessage(message, time_zone)),
      note: noteOn(result, time_zone),
    };
  },
});

/** Results from several channels. Of a message that the bot cannot read itself, there is only the link. */
function foundAnywhere(found: Awaited<ReturnType<ChatWork["searchAll"]>>, time_zone: string) {
  const messages = found.map(({ message, channel, reference: id, author, at, link }) => ({
    ...showMessage(message ?? linkedMessage(id, author, at, link), time_zone),
    channel: labelOf(channel),
  }));
  const isUnread = found.some(({ message }) => message === undefined);
  const note = isUnread
    ? "Where there is no text, the bot is not in the channel: give the link."
    : noneFound(messages);
  return { channel: "*", time_zone, messages, note };
}

function linkedMessage(id: string, name: string, at: number, link: string): ChannelMessage {
  return { id, author: { id: "", name, bot: false, self: false }, text: "", at, files: [], link };
}

function noneFound({ length }: readonly unknown[]): string | undefined {
  return length === 0 ? "Nothing fits; other words or their stems may." : undefined;
}

function noteOn({ complete, since, by, messages }: FoundMessages, zone: string): string | undefined {
  if (complete) return noneFound(messages);
  const from =
    since === undefined
      ? "the latest messages"
      : `what was said since ${DateTime.fromMillis(since, { zone }).toISODate()}`;
  const more = by === "history" ? " A manager can switch on an index with /agent index on." : "";
  return `Only ${from} was looked at.${more}`;
}

const maxPeople = 50;

/** Finds people and groups. */
const findPeople = definePart({
  title: "Looking people up",
  means: ["people"],
  description:
    "Finds people and groups: ids, names, title or roles, time zone, whether they are in this channel.",
  parameters: z.object({
    words: z.string().max(200).default("").describe("of a name, title or id; everybody unless given"),
    here: z.boolean().default(false).describe("only people of this channel"),
  }),
  output: z.object({
    people: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        full_name: z.string().optional(),
        title: z.string().optional(),
        time_zone: z.string().optional(),
        here: z.boolean(),
        standing: z.string().optional(),
      }),
    ),
    groups: z.array(z.object({ id: z.string(), name: z.string(), members: z.number().optional() })),
    more: z.boolean(),
  }),
  async run({ words, here }, { chat }) {
    const found = await chat.people(words, here ? maxPeople * 4 : maxPeople);
    const wanted = found.people.filter((person) => !here || person.here);
    return {
      people: wanted.slice(0, maxPeople).map(({ name, full_name, ...person }) => ({
        ...person,
        name: labelOf(name),
        full_name: full_name === undefined ? undefined : labelOf(full_name),
      })),
      groups: found.groups.map(({ id, name, members }) => ({ id, name: labelOf(name), members })),
      more: found.more || wanted.length > maxPeople,
    };
  },
});

/** Lets the answer notify people whom the message did not mention. */
const mentionPeople = definePart({
  title: "Mentioning people",
  means: ["people"],
  description:
    "Lets your messages notify people or groups the request did not mention. Then write what it returns.",
  parameters: z.object({
    ids: z.array(z.string().min(1).max(200)).min(1).max(50).describe("ids, or names"),
  }),
  output: z.object({ write: z.array(z.object({ name: z.string(), mention: z.string() })) }),
  effect: "idempotent",
  async run({ ids }, { chat }) {
    const called = await chat.name(ids);
    return { write: called.map(({ name, mention: write }) => ({ name: labelOf(name), mention: write })) };
  },
});

const pollSchema = z.object({
  answers: z.array(z.string().min(1).max(55)).min(2).max(10),
  hours: z.number().int().min(1).max(768).default(24),
  several: z.boolean().default(false),
});

/** Posts a message in addition to the answer. */
const sendMessage = definePart({
  title: "Sending a message",
  means: ["posting"],
  description:
    "Posts a message elsewhere: another channel, a direct message, or this channel outside of the thread. Not for your answer.",
  parameters: z.object({
    to: z.string().min(1).max(200).describe("#channel, a person's name or id, or here"),
    text: z.string().min(1).max(8_000).describe("complete, as it is to stand there"),
    thread: z.string().max(200).optional().describe("with here: id of the message to reply to"),
    files: z.array(z.string().max(500)).default([]).describe("paths in the working folder"),
    poll: pollSchema.optional().describe("asks people to vote: text is the question"),
  }),
  output: z.object({ sent: z.literal(true), where: z.string(), id: z.string(), link: z.string().optional() }),
  effect: "idempotent",
  says(input) {
    const { to } = objectOf(input);
    return {
      deed: to === "here" ? "post in this channel" : `send a message to ${JSON.stringify(to)}`,
      quotes: "text",
    };
  },
  async run({ to, text, thread, files, poll }, { chat }) {
    const { where, id, link } = await chat.send({ to, text, thread, files, poll });
    return { sent: true as const, where, id, link };
  },
});

const deeds = ["react", "unreact", "pin", "unpin", "edit", "delete"] as const;

/** Reacts to, pins, edits or deletes a message of this channel. */
const actOnMessage = definePart({
  title: "Acting on a message",
  means: ["posting"],
  description: "Reacts to or pins a message of this channel; edits or deletes one of the bot's own.",
  parameters: z.object({
    do: z.enum(deeds),
    message: z.string().min(1).max(200).describe("its id; this: the one you answer; last: your last here"),
    emoji: z.string().max(100).optional().describe("name, e.g. thumbsup"),
    text: z.string().max(8_000).optional().describe("the new text, whole"),
  }),
  output: z.object({ done: z.literal(true) }),
  effect: "idempotent",
  says: (input) => ({ deed: `${String(objectOf(input).do)} a message of this channel`, quotes: "text" }),
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

/** Actions in a chat other than answering, with the rights of the asker. */
export const skill = defineSkillParts({
  read: readChannel,
  search: searchChannel,
  people: findPeople,
  mention: mentionPeople,
  send: sendMessage,
  act: actOnMessage,
});

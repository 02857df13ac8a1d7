import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import type { Place } from "../../core/values/place.ts";
import { type ChannelIndexStatus, channelIndexStatus } from "../services/channel-index.ts";
import { channelName } from "../services/shapes.ts";
import { auditNote, managers, operation } from "./operation.ts";

const channel = z.object({ ns: channelName });

const how =
  "`/agent index on` keeps a copy of this channel's messages for searching, `/agent index off` deletes it.";

function described({ on, messages, since, by = "somebody", filling }: ChannelIndexStatus): string {
  if (!on) return `This channel has no index: I search its latest messages only. ${how}`;
  const from = since === undefined ? "" : ` since ${new Date(since).toISOString().slice(0, 10)}`;
  const more = filling ? " I am still reading what was said before." : "";
  return `**${escapeMarkdown(oneLine(by, 200))}** switched on the index of this channel: ${messages.toLocaleString("en")} messages${from}.${more} ${how}`;
}

export const showIndex = operation({
  name: "index.show",
  input: channel,
  output: channelIndexStatus,
  who: "anyone",
  http: {
    route: "GET /namespaces/{ns}/index",
    summary: "Whether a channel's messages are indexed for searching",
    answers: "how many, and since when",
  },
  chat: {
    command: "agent index",
    description: "Shows whether this channel's messages are kept for searching; managers switch it on or off",
    options: [
      {
        name: "keep",
        description: "Whether to keep a copy of the messages; shows it unless given",
        choices: [
          { text: "on", description: "keep a copy, so that all of it can be searched" },
          { text: "off", description: "delete the copy and keep nothing more" },
        ],
      },
    ],
    read: (words, { namespace: ns }) => (words === "" ? { ns } : undefined),
    missing: how,
  },
  text: described,
  run: async ({ input: { ns }, services }) => ({ ok: true, value: await services.channelIndex.status(ns) }),
});

export const setIndex = operation({
  name: "index.set",
  input: channel.extend({ on: z.boolean() }),
  output: channelIndexStatus,
  who: managers("Managers of the channel decide whether I keep a copy of its messages. Ask one of them."),
  http: {
    route: "PUT /namespaces/{ns}/index",
    summary: "Switch the index of a channel on or off; off deletes it. The channel is told",
    answers: "how many messages are kept",
  },
  chat: ["on", "off"].map((word) => ({
    command: `agent index ${word}`,
    public: true,
    description:
      word === "on"
        ? "Keeps a copy of this channel's messages for searching"
        : "Deletes the copy of this channel's messages",
    partOf: "agent index",
    read: (_words: string, { namespace: ns }: Place) => ({ ns, on: word === "on" }),
  })),
  text: (output, { on }) =>
    on ? described(output) : "The copy of this channel's messages is deleted, and nothing more is kept.",
  run({ input: { ns, on }, asker, services: { channelIndex } }) {
    return on ? channelIndex.switchOn(ns, asker.by) : channelIndex.switchOff(ns, asker.by);
  },
  audit: (_output, { input: { ns, on } }) =>
    auditNote(
      on ? "index_on" : "index_off",
      ns,
      on ? "switched on search in this channel's messages" : "switched off search and deleted the copy",
    ),
});

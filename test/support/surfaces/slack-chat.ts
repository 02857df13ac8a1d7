import { slackText } from "../bot/platform-slack.ts";
import type { Observation } from "../slack/observation.ts";
import type { SlackServer } from "../slack/slack-server.ts";
import type { MessageRecord } from "../slack/world/message-record.ts";
import type { Capabilities, ChatSurface, Conversation, Part, Somebody } from "./chat-surface.ts";

const users = { asker: "U0BEN", manager: "U0ANNA" };
const bot = "U0KNACK";
const channels = { home: "C0GENERAL", elsewhere: "C0ELSEWHERE" };

/** The features of this surface. */
export const slackCan: Capabilities = {
  severalPeople: true,
  severalConversations: true,
  whispers: true,
  buttons: true,
  readsWhileWorking: true,
  editable: true,
  mentions: true,
};

/** Slack: Ben asks in threads of two channels; Anna manages them. */
export async function slackChat(slack: SlackServer): Promise<ChatSurface> {
  await slack.addChannel({
    id: channels.elsewhere,
    team_id: "T0ACME",
    name: "elsewhere",
    kind: "public",
    creator: users.manager,
    members: [users.asker, users.manager, bot],
  });
  return {
    open: async (channel = "home") =>
      openThread(slack, { channel: channels[channel], users, mention: `<@${bot}> ` }),
    everything: () => slackParts(slack, ({ channel }) => !channel.startsWith("D")),
    sent: async () => JSON.stringify((await slack.look()).all),
    close: async () => undefined,
  };
}

/** All that people see of the bot in some of Slack's channels. */
export async function slackParts(
  slack: SlackServer,
  isThere: (message: { channel: string }) => boolean,
): Promise<Part[]> {
  const { all } = await slack.lookAtMessages();
  const messages = all.messages.filter((each) => each.bot_id !== undefined && !each.gone && isThere(each));
  const whispers = all.ephemerals.filter((each) => each.shown && isThere(each));
  return [...messages.flatMap(partsOf), ...whispers.map(whisperOf)];
}

/** The place where people write, and how they address the bot there. */
interface SlackRoom {
  channel: string;
  users: Record<Somebody, string>;
  mention: string;
  /** Without threads: messages and answers are in the channel. */
  flat?: boolean;
}

/** A thread that begins with the first message. */
export async function openThread(
  slack: SlackServer,
  { channel, users: people, mention: begin, flat = false }: SlackRoom,
): Promise<Conversation> {
  const atFirst = await slack.lookAtMessages();
  const before = new Set(atFirst.botMessages(channel).map(({ ts }) => ts));
  const whispersBefore = atFirst.all.ephemerals.length;
  let thread: string | undefined;
  let isCrowded = false;
  let whispersBeforePress = Number.POSITIVE_INFINITY;
  const messages = (state: Observation) =>
    flat
      ? state.botMessages(channel).filter(({ ts, thread_ts }) => thread_ts === undefined && !before.has(ts))
      : thread === undefined
        ? []
        : state.botMessages(channel, thread).filter(({ ts }) => ts !== thread);
  return {
    async say(text, who = "asker", attached = []) {
      isCrowded ||= who === "manager";
      const mention = thread === undefined || isCrowded ? begin : "";
      const place = thread === undefined ? {} : { thread_ts: thread };
      const files = attached.map(({ name, media_type, data }) => ({
        name,
        mimetype: media_type,
        content_base64: Buffer.from(data).toString("base64"),
      }));
      const { ts } = await slack.say({ user: people[who], channel, text: mention + text, ...place, files });
      if (!flat) thread ??= ts;
    },
    async shown(who = "asker") {
      const state = await slack.lookAtMessages();
      const whispers = state.all.ephemerals.filter(
        (each, at) =>
          at >= whispersBefore &&
          each.user === people[who] &&
          each.channel === channel &&
          each.shown &&
          // What answers a press stands where it was pressed.
          (each.thread_ts === thread || at < whispersBeforePress),
      );
      return [...messages(state).flatMap(partsOf), ...whispers.map(whisperOf)];
    },
    async press(label, who: Somebody = "asker") {
      const found = messages(await slack.lookAtMessages())
        .flatMap(({ ts, blocks }) => buttonsOf(blocks).map((button) => ({ ...button, ts })))
        .findLast((button) => button.label === label);
      if (found === undefined) throw new Error(`Slack shows no button “${label}”.`);
      const { ts: message_ts, action_id, value } = found;
      whispersBeforePress = Math.min(
        whispersBeforePress,
        (await slack.lookAtMessages()).all.ephemerals.length,
      );
      await slack.click({ user: people[who], channel, message_ts, action_id, value });
    },
    async files() {
      const ids = messages(await slack.lookAtMessages()).flatMap((message) => [
        ...message.files,
        ...picturesOf(message),
      ]);
      const files = await Promise.all(ids.map((id) => slack.file({ id })));
      return files;
    },
    async called() {
      return callsIn(messages(await slack.lookAtMessages()));
    },
  };
}

/** Files shown in the message itself, as image blocks. */
function picturesOf({ blocks }: MessageRecord): string[] {
  return blocks.flatMap(({ slack_file }) => (slack_file as { id?: string } | undefined)?.id ?? []);
}

/** Mass mentions in these messages. */
function callsIn(messages: readonly MessageRecord[]): string[] {
  const texts = messages.map(({ text, blocks }) => text + JSON.stringify(blocks));
  return texts.flatMap(
    (text) => text.match(/<!(?:channel|here|everyone|subteam)\b|@(?:channel|here|everyone)\b/g) ?? [],
  );
}

/** A message may be progress and answer at once. */
function partsOf(message: MessageRecord): Part[] {
  const purpose = String(message.metadata?.event_payload.purpose);
  const isQuestion = purpose === "question" || purpose === "approval";
  const plan = planText(message);
  const text = plan === undefined || hasText(message) ? slackText(message) : undefined;
  return [
    ...(plan === undefined ? [] : [{ kind: "progress" as const, text: plan }]),
    ...(text === undefined ? [] : [{ kind: isQuestion ? ("question" as const) : ("answer" as const), text }]),
  ];
}

/** The text below a plan, without text that is only for notifications. */
function hasText({ text, blocks, stream }: MessageRecord): boolean {
  return blocks.some(({ type }) => type === "markdown") || (stream?.state === "in_progress" && text !== "");
}

function whisperOf({ text, blocks }: { text: string; blocks: unknown[] }): Part {
  const known = blocks as Record<string, unknown>[];
  const markdown = known.filter(({ type }) => type === "markdown").map((block) => String(block.text));
  return { kind: "private", text: markdown.join("\n") || text };
}

/** A task plan as lines, from a stream or a block, or its remaining line. */
export function planText({ blocks, stream, metadata }: MessageRecord): string | undefined {
  const block = blocks.find(({ type }) => type === "plan") as
    | { title: string; tasks?: { title: string; status: string }[] }
    | undefined;
  const streamed =
    stream?.plan_title === undefined ? undefined : { title: stream.plan_title, tasks: stream.tasks };
  const line = blocks.find(({ type }) => type === "context") as { elements: { text: string }[] } | undefined;
  const plan = block ?? streamed;
  if (plan === undefined && metadata?.event_payload.purpose === "answer") return line?.elements[0]?.text;
  if (plan === undefined) return undefined;
  return [plan.title, ...(plan.tasks ?? []).map(({ title, status }) => `${status}: ${title}`)].join("\n");
}

interface SlackButton {
  label: string;
  action_id: string;
  /** The selected option of a menu. */
  value?: string;
}

/** The buttons of a message, those behind its menu among them. */
export function buttonsOf(blocks: readonly Record<string, unknown>[]): SlackButton[] {
  type Element = { action_id: string; text?: { text: string }; options?: Option[] };
  type Option = { text: { text: string }; value: string };
  const elements = blocks
    .filter(({ type }) => type === "actions")
    .flatMap((block) => block.elements as Element[]);
  return elements.flatMap(({ action_id, text, options = [] }) => [
    ...(text === undefined ? [] : [{ action_id, label: text.text }]),
    ...options.map((each) => ({ action_id, label: each.text.text, value: each.value })),
  ]);
}

import { flatComponents } from "../discord/api/component-check.ts";
import { objects } from "../discord/api/json.ts";
import type { DiscordServer } from "../discord/discord-server.ts";
import { ids } from "../discord/example-world.ts";
import type { ObservedMessage, ObservedState } from "../discord/observed-state.ts";
import type { Capabilities, ChatSurface, Conversation, FetchedFile, Part, Somebody } from "./chat-surface.ts";

const users = { asker: ids.adam, manager: ids.mia };
const channels = { home: ids.general, elsewhere: ids.announcements };

/** The features of this surface. */
export const discordCan: Capabilities = {
  severalPeople: true,
  severalConversations: true,
  whispers: true,
  buttons: true,
  readsWhileWorking: true,
  editable: true,
  mentions: true,
};

/** Discord: Adam asks in threads of two channels; Mia manages them. What is for one person may come as a direct message. */
export async function discordChat(discord: DiscordServer): Promise<ChatSurface> {
  const direct = { asker: await discord.openDm(users.asker), manager: await discord.openDm(users.manager) };
  const fromBot = (state: ObservedState) => state.messages.filter(({ author }) => author === ids.bot);
  return {
    async open(channel = "home") {
      const before = new Set(fromBot(await discord.stateOfMessages()).map(({ id }) => id));
      return openThread(discord, channels[channel], direct, before);
    },
    async everything() {
      const kind = kindsOfMessages();
      const state = await discord.stateOfMessages();
      const others = state.channels.filter(
        ({ id, guild }) => guild === null && !Object.values(direct).includes(id),
      );
      return fromBot(state)
        .filter(({ channel }) => !others.some(({ id }) => id === channel))
        .flatMap((message) => partsOf(message.content, kind(message)));
    },
    async sent() {
      const { calls, messages } = await discord.state();
      return JSON.stringify({ calls, messages });
    },
    close: async () => undefined,
  };
}

function openThread(
  discord: DiscordServer,
  channel: string,
  direct: Record<Somebody, string>,
  before: ReadonlySet<string>,
): Conversation {
  let thread: string | undefined;
  let isCrowded = false;
  const kindOf = kindsOfMessages();
  const own = (state: ObservedState) =>
    state.messages.filter(({ author, id }) => author === ids.bot && !before.has(id));
  const inThread = (state: ObservedState) => own(state).filter((message) => message.channel === thread);
  return {
    async say(text, who = "asker") {
      isCrowded ||= who === "manager";
      const mention = thread === undefined || isCrowded ? `<@${ids.bot}> ` : "";
      const id = await discord.say({
        user: users[who],
        channel: thread ?? channel,
        content: mention + text,
      });
      thread ??= id;
    },
    async shown(who = "asker") {
      const state = await discord.stateOfMessages();
      const seen = (message: ObservedMessage) =>
        message.channel === direct[who] ||
        (message.channel === thread && [null, users[who] as string].includes(message.ephemeralFor));
      return own(state)
        .filter(seen)
        .flatMap((message) => {
          const isPrivate = message.channel === direct[who] || message.ephemeralFor !== null;
          return partsOf(message.content, isPrivate ? "private" : kindOf(message));
        });
    },
    async press(label, who = "asker") {
      const found = inThread(await discord.stateOfMessages())
        .flatMap((message) => buttonsOf(message).map((button) => ({ ...button, message: message.id })))
        .findLast((button) => button.label === label);
      if (found === undefined) throw new Error(`Discord shows no button “${label}”.`);
      await discord.click({ user: users[who], message: found.message, customId: found.custom_id });
    },
    async files() {
      return filesOf(inThread(await discord.stateOfMessages()));
    },
    async called() {
      const messages = inThread(await discord.stateOfMessages());
      const everyone = messages.filter(({ mentions }) => mentions.everyone).map(() => "everyone");
      return [...everyone, ...messages.flatMap(({ notified }) => notified)].filter(
        (each) => each !== users.asker,
      );
    },
  };
}

/** An answer may have the line of its progress above it. */
export function partsOf(content: string, kind: Part["kind"]): Part[] {
  const [, line, text] = /^\*(\d+ steps?, [^*]+)\*\n+([\s\S]*)$/.exec(content) ?? [];
  if (kind !== "answer" || line === undefined || text === undefined) return [{ kind, text: content }];
  return [
    { kind: "progress", text: line },
    { kind, text },
  ];
}

/** The attachments of these messages. */
export function filesOf(messages: readonly ObservedMessage[]): Promise<FetchedFile[]> {
  const files = messages.flatMap(({ attachments }) => attachments);
  const fetched = files.map(async ({ filename, url }) => {
    const response = await fetch(url);
    return { name: filename, text: await response.text() };
  });
  return Promise.all(fetched);
}

/** A message is classified by its buttons, and keeps its class after they are removed. */
export function kindsOfMessages(): (message: ObservedMessage) => Part["kind"] {
  const known = new Map<string, Part["kind"]>();
  return (message) => {
    const kind = known.get(message.id) ?? kindByButtons(message);
    if (kind !== "answer") known.set(message.id, kind);
    return kind;
  };
}

function kindByButtons(message: ObservedMessage): Part["kind"] {
  const buttons = buttonsOf(message).map(({ custom_id }) => custom_id.split(":")[0] ?? "");
  if (buttons.some((id) => id === "stop")) return "progress";
  return buttons.some((id) => id === "answer" || id === "approve") ? "question" : "answer";
}

/** The buttons and choices of a message. */
export function buttonsOf({
  components,
}: Pick<ObservedMessage, "components">): { label: string; custom_id: string }[] {
  return flatComponents(components).flatMap((component) => {
    if (component.options !== undefined)
      return objects(component.options).map(({ label, value }) => pressed(label, value));
    return component.type === 2 ? [pressed(component.label, component.custom_id)] : [];
  });
}

const pressed = (label: unknown, id: unknown) => ({ label: String(label), custom_id: String(id) });

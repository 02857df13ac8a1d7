import type { APIMessage, RawFile } from "discord.js";
import type { ChatCommand } from "../../../app/chat/chat-intake.ts";
import type { MessageTag, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import { commandSchema } from "../../../core/values/inbound.ts";
import type { Json } from "../../../core/values/json.ts";
import { messageFlags, timeOf } from "../connection/discord-facts.ts";
import { referenceOf } from "../connection/discord-place.ts";
import { type DiscordProblem, type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import { editBody, rawFiles, whisperParts } from "./message-body.ts";

/** A command or a press that can still be answered. */
export interface LiveInteraction {
  id: string;
  token: string;
  application: string;
  channel: string;
  /**
   * What people see of it so far: a "thinking…" that everybody or only the person sees, or nothing of its own (a press was
   * acknowledged without a word).
   */
  placeholder: "public" | "private" | "none";
  /** What was asked, of a command: with it, the interaction is known after a restart. */
  command?: ChatCommand;
  /** Names the message that took the place of a public "thinking…". */
  filling?: string;
}

/**
 * Interactions by id, for the fifteen minutes that Discord takes answers. Commands are known after a restart; after it, what
 * presses are answered goes another way.
 */
export interface LiveInteractions {
  add(interaction: LiveInteraction): void;
  /** Stores a command for the process after this one. Never rejects: without it, only a restart shows. */
  keep(interaction: LiveInteraction): Promise<void>;
  /** Drops what was kept of a command. Never rejects. */
  forget(id: string): Promise<void>;
  /** Commands that earlier processes took, and of which people still see "thinking…" as far as is known. */
  unanswered(): Promise<ChatCommand[]>;
  has(id: string): boolean;
  /** Answers for all to see, in place of a public placeholder. Undefined where there is none. @throws DiscordProblem */
  answer(id: string, message: OutgoingMessage): Promise<string | undefined>;
  /** Says something that only the person sees. False when it is too late. @throws DiscordProblem */
  whisper(id: string, message: OutgoingMessage): Promise<boolean>;
  /** Takes away what only shows that an answer is to come. @throws DiscordProblem */
  dismiss(id: string): Promise<void>;
  /** Edits a message that came as an answer. False when it is not one of them, or too late. @throws DiscordProblem */
  edit(message: string, body: object, files: RawFile[]): Promise<boolean>;
  stop(): void;
}

export interface LiveInteractionDeps {
  rest: DiscordRest;
  /** Keeps secrets: tokens are written to it. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
}

/** The person sent the placeholder away, or the token is no good any more. */
const isOver = ({ code }: DiscordProblem) => code === "gone" || code === "forbidden";

const hook = ({ application, token }: LiveInteraction) => `/webhooks/${application}/${token}` as const;
const original = (interaction: LiveInteraction) => `${hook(interaction)}/messages/@original` as const;

export function createLiveInteractions(deps: LiveInteractionDeps): LiveInteractions {
  const { rest, clock, logger } = deps;
  const kept = createKeptCommands(deps.sealed, clock);
  const live = new Map<string, LiveInteraction>();
  const messages = new Map<string, LiveInteraction>();
  const timers = new Map<string, () => void>();
  let loading: Promise<ChatCommand[]> | undefined;

  const add = (interaction: LiveInteraction, lifetime = tokenLifetime) => {
    live.set(interaction.id, interaction);
    const cancel = clock.after(lifetime, () => {
      live.delete(interaction.id);
      timers.delete(interaction.id);
      for (const [id, of] of messages) if (of === interaction) messages.delete(id);
    });
    timers.set(interaction.id, cancel);
  };
  const noted = async (work: Promise<void>) => {
    try {
      await work;
    } catch (error) {
      logger.warn({ err: error }, "Discord: a command could not be kept for after a restart");
    }
  };
  const keep = async ({
    token,
    application,
    channel,
    placeholder,
    command,
    filling = "",
  }: LiveInteraction) => {
    if (command === undefined) return;
    await noted(kept.keep({ token, application, channel, placeholder, command, filling }));
  };
  const forget = (id: string) => noted(kept.forget(id));
  const load = async (): Promise<ChatCommand[]> => {
    const earlier = (await kept.all()).filter(({ command }) => !live.has(command.id));
    for (const each of earlier) {
      const { id } = each.command;
      add({ ...each, id }, timeOf(id) + tokenLifetime - clock.now());
    }
    return earlier.filter(({ placeholder }) => placeholder !== "none").map(({ command }) => command);
  };
  const loaded = () => {
    loading ??= load().catch(async (error: unknown) => {
      logger.warn(
        { err: error },
        "Discord: commands of before could not be read; they are answered elsewhere",
      );
      await noted(kept.clear());
      return [];
    });
    return loading;
  };
  const find = async (id: string) => {
    await loaded();
    return live.get(id);
  };
  /** The placeholder is settled, and nothing of the command is needed any more. */
  const settle = async (interaction: LiveInteraction) => {
    interaction.placeholder = "none";
    if (interaction.command !== undefined) await forget(interaction.id);
  };
  const dropPlaceholder = async (interaction: LiveInteraction) => {
    await unlessRefused(rest.request("DELETE", original(interaction), { auth: false }), isOver);
    await settle(interaction);
  };

  return {
    add: (interaction) => add(interaction),
    keep,
    forget,
    unanswered: loaded,
    has: (id) => live.has(id),
    async answer(id, message) {
      const interaction = await find(id);
      if (interaction === undefined) return undefined;
      if (interaction.placeholder === "private" && message.tag?.purpose === "answer")
        await dropPlaceholder(interaction);
      const filling = nameOf(message.tag);
      if (interaction.placeholder === "public") {
        // Noted before it is sent: the same message may come again, another one must not take its place.
        Object.assign(interaction, { placeholder: "none", filling });
        await keep(interaction);
      } else if (filling === "" || interaction.filling !== filling) return undefined;
      const posted = await fill(rest, interaction, editBody(message), rawFiles(message.files ?? []));
      if (posted === undefined) return undefined;
      messages.set(posted.id, interaction);
      return referenceOf(posted.channel_id, posted.id);
    },
    async whisper(id, message) {
      const interaction = await find(id);
      if (interaction === undefined) return false;
      if (interaction.placeholder === "public") await dropPlaceholder(interaction);
      const isPlaceholder = interaction.placeholder === "private";
      if (!(await tell(rest, interaction, message))) return false;
      if (isPlaceholder) await settle(interaction);
      return true;
    },
    async dismiss(id) {
      const interaction = await find(id);
      if (interaction !== undefined && interaction.placeholder !== "none") await dropPlaceholder(interaction);
    },
    async edit(message, body, files) {
      const interaction = messages.get(message);
      if (interaction === undefined) return false;
      await rest.request("PATCH", `${hook(interaction)}/messages/${message}`, { body, files, auth: false });
      return true;
    },
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      live.clear();
    },
  };
}

function nameOf(tag: MessageTag | undefined): string {
  return tag === undefined ? "" : `${tag.turn_id} ${tag.purpose} ${tag.part}`;
}

/** Fills the placeholder. Undefined when it is gone. */
function fill(rest: DiscordRest, interaction: LiveInteraction, body: object, files: RawFile[]) {
  const request = { body, files, auth: false };
  return unlessRefused(rest.request<APIMessage>("PATCH", original(interaction), request), isOver);
}

/** Says it to the person alone, in place of a private placeholder. False when it is too late. */
async function tell(
  rest: DiscordRest,
  interaction: LiveInteraction,
  message: OutgoingMessage,
): Promise<boolean> {
  let isFree = interaction.placeholder === "private";
  for (const { body, files } of whisperParts(message)) {
    const filled = isFree ? await fill(rest, interaction, body, files) : undefined;
    isFree = false;
    if (filled !== undefined) continue;
    const request = { body: { ...body, flags: body.flags | messageFlags.ephemeral }, files, auth: false };
    const sent = rest.request<APIMessage>("POST", hook(interaction), request);
    if ((await unlessRefused(sent, ({ code }) => code === "gone")) === undefined) return false;
  }
  return true;
}

/** ms that an interaction's token is good for, less a little. Source: Discord reference, "Interactions". */
const tokenLifetime = 14.5 * 60_000;

/** A command and what it takes to answer it where it was given. */
interface KeptCommand {
  command: ChatCommand;
  token: string;
  application: string;
  channel: string;
  placeholder: "public" | "private" | "none";
  /** Names the message that takes the place of "thinking…", once it is on its way; empty before. */
  filling: string;
}

/**
 * Commands whose tokens are still good, stored so that "thinking…" does not outlive the process that said it. Bounded: the
 * latest 200. The store must be one that keeps secrets.
 */
interface KeptCommands {
  /** Adds the command, or changes what is known of it. @throws when the store fails */
  keep(kept: KeptCommand): Promise<void>;
  /** @throws when the store fails */
  forget(id: string): Promise<void>;
  /** Forgets all, also what cannot be read. @throws when the store fails */
  clear(): Promise<void>;
  /** Oldest first. @throws when the store fails */
  all(): Promise<KeptCommand[]>;
}

/** As stored: texts by name, times in ms since the epoch. */
type Entry = { [name: string]: Json };

const key = "commands";
const most = 200;

function createKeptCommands(sealed: KeyValue, clock: Clock): KeptCommands {
  const good = (entries: Entry[] = []) =>
    entries.filter(({ said_at }) => Number(said_at) + tokenLifetime > clock.now());
  return {
    async keep(kept) {
      const entry = entryOf(kept);
      await sealed.update<Entry[]>(key, (entries) =>
        [...good(entries).filter(({ id }) => id !== entry.id), entry].slice(-most),
      );
    },
    async forget(gone) {
      await sealed.update<Entry[]>(key, (entries) => good(entries).filter(({ id }) => id !== gone));
    },
    clear: () => sealed.delete(key),
    async all() {
      return good((await sealed.get(key)) as Entry[] | undefined).map(keptOf);
    },
  };
}

function entryOf({ command: { place, command, ...given }, ...kept }: KeptCommand) {
  const { namespace, thread } = place;
  const read = command === undefined ? {} : { command: command as Json };
  return { ...kept, ...given, ...read, namespace, thread };
}

function keptOf(entry: Entry): KeptCommand {
  const text = (name: string) => String(entry[name] ?? "");
  const placeholder = text("placeholder");
  return {
    command: {
      key: text("key"),
      place: { namespace: text("namespace"), thread: text("thread") },
      id: text("id"),
      author: text("author"),
      text: text("text"),
      command: commandSchema.safeParse(entry.command).data,
      said_at: Number(entry.said_at),
    },
    token: text("token"),
    application: text("application"),
    channel: text("channel"),
    placeholder: placeholder === "public" || placeholder === "private" ? placeholder : "none",
    filling: text("filling"),
  };
}

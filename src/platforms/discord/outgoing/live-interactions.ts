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
  /** What people see until the answer comes: "thinking…" for everybody or for the person alone, or nothing (for a press). */
  placeholder: "public" | "private" | "none";
  /** The command, if it is one. An interaction that has one is known after a restart. */
  command?: ChatCommand;
  /** Names the message that replaced a public "thinking…". */
  filling?: string;
}

export interface LiveInteractionDeps {
  rest: DiscordRest;
  /** An encrypted store: tokens are written to it. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
}

/** The person dismissed the placeholder, or the token has expired. */
const isOver = ({ code }: DiscordProblem) => code === "gone" || code === "forbidden";

const hook = ({ application, token }: LiveInteraction) => `/webhooks/${application}/${token}` as const;
const original = (interaction: LiveInteraction) => `${hook(interaction)}/messages/@original` as const;

/**
 * Interactions by id, for the fifteen minutes in which Discord accepts answers to them. Commands are known after a restart;
 * presses are not, and ordinary messages answer them then.
 */
export class LiveInteractions {
  readonly #rest: DiscordRest;
  readonly #clock: Clock;
  readonly #logger: Log;
  readonly #kept: KeptCommands;
  readonly #live = new Map<string, LiveInteraction>();
  /** Messages that came as answers, by id. */
  readonly #messages = new Map<string, LiveInteraction>();
  /** By interaction: cancels its removal at the end of its lifetime. */
  readonly #timers = new Map<string, () => void>();
  #loading: Promise<ChatCommand[]> | undefined;

  constructor({ rest, sealed, clock, logger }: LiveInteractionDeps) {
    this.#rest = rest;
    this.#clock = clock;
    this.#logger = logger;
    this.#kept = new KeptCommands(sealed, clock);
  }

  /** @param lifetime ms until the interaction is dropped */
  add(interaction: LiveInteraction, lifetime = tokenLifetime): void {
    this.#live.set(interaction.id, interaction);
    const cancel = this.#clock.after(lifetime, () => {
      this.#live.delete(interaction.id);
      this.#timers.delete(interaction.id);
      for (const [id, answered] of this.#messages) if (answered === interaction) this.#messages.delete(id);
    });
    this.#timers.set(interaction.id, cancel);
  }

  /** Stores a command for the next process. Never rejects: a command that was not stored is lost only by a restart. */
  async keep(interaction: LiveInteraction): Promise<void> {
    const { token, application, channel, placeholder, command, filling = "" } = interaction;
    if (command === undefined) return;
    await this.#logFailure(this.#kept.keep({ token, application, channel, placeholder, command, filling }));
  }

  /** Deletes a stored command. Never rejects. */
  forget(id: string): Promise<void> {
    return this.#logFailure(this.#kept.forget(id));
  }

  /** Commands that earlier processes accepted and that still show "thinking…", as far as is known. */
  unanswered(): Promise<ChatCommand[]> {
    this.#loading ??= this.#load().catch(async (error: unknown) => {
      this.#logger.warn(
        { err: error },
        "Discord: stored commands could not be read; ordinary messages answer them",
      );
      await this.#logFailure(this.#kept.clear());
      return [];
    });
    return this.#loading;
  }

  has(id: string): boolean {
    return this.#live.has(id);
  }

  /** Answers for everybody, in place of a public placeholder. Undefined without a placeholder. @throws DiscordProblem */
  async answer(id: string, message: OutgoingMessage): Promise<string | undefined> {
    const interaction = await this.#find(id);
    if (interaction === undefined) return undefined;
    if (interaction.placeholder === "private" && message.tag?.purpose === "answer")
      await this.#dropPlaceholder(interaction);
    const filling = nameOf(message.tag);
    if (interaction.placeholder === "public") {
      // Stored before it is sent: the same message may be sent again, and no other may replace it.
      Object.assign(interaction, { placeholder: "none", filling });
      await this.keep(interaction);
    } else if (filling === "" || interaction.filling !== filling) return undefined;
    const posted = await fill(this.#rest, interaction, editBody(message), rawFiles(message.files ?? []));
    if (posted === undefined) return undefined;
    this.#messages.set(posted.id, interaction);
    return referenceOf(posted.channel_id, posted.id);
  }

  /** Shows a message to the person alone. False when it is too late. @throws DiscordProblem */
  async whisper(id: string, message: OutgoingMessage): Promise<boolean> {
    const interaction = await this.#find(id);
    if (interaction === undefined) return false;
    if (interaction.placeholder === "public") await this.#dropPlaceholder(interaction);
    const isPlaceholder = interaction.placeholder === "private";
    if (!(await tell(this.#rest, interaction, message))) return false;
    if (isPlaceholder) await this.#settle(interaction);
    return true;
  }

  /** Removes the placeholder, if there still is one. @throws DiscordProblem */
  async dismiss(id: string): Promise<void> {
    const interaction = await this.#find(id);
    if (interaction !== undefined && interaction.placeholder !== "none")
      await this.#dropPlaceholder(interaction);
  }

  /** Edits a message that came as an answer. False for any other message, and when it is too late. @throws DiscordProblem */
  async edit(message: string, body: object, files: RawFile[]): Promise<boolean> {
    const interaction = this.#messages.get(message);
    if (interaction === undefined) return false;
    const request = { body, files, auth: false };
    await this.#rest.request("PATCH", `${hook(interaction)}/messages/${message}`, request);
    return true;
  }

  stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#live.clear();
  }

  async #load(): Promise<ChatCommand[]> {
    const earlier = (await this.#kept.all()).filter(({ command }) => !this.#live.has(command.id));
    for (const each of earlier) {
      const { id } = each.command;
      this.add({ ...each, id }, timeOf(id) + tokenLifetime - this.#clock.now());
    }
    return earlier.filter(({ placeholder }) => placeholder !== "none").map(({ command }) => command);
  }

  async #find(id: string): Promise<LiveInteraction | undefined> {
    await this.unanswered();
    return this.#live.get(id);
  }

  async #dropPlaceholder(interaction: LiveInteraction): Promise<void> {
    await unlessRefused(this.#rest.request("DELETE", original(interaction), { auth: false }), isOver);
    await this.#settle(interaction);
  }

  /** Marks the placeholder as gone, and deletes the stored command, which is no longer needed. */
  async #settle(interaction: LiveInteraction): Promise<void> {
    interaction.placeholder = "none";
    if (interaction.command !== undefined) await this.forget(interaction.id);
  }

  async #logFailure(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#logger.warn(
        { err: error },
        "Discord: the stored commands could not be updated, so a restart may lose or repeat one",
      );
    }
  }
}

function nameOf(tag: MessageTag | undefined): string {
  return tag === undefined ? "" : `${tag.turn_id} ${tag.purpose} ${tag.part}`;
}

/** Fills the placeholder. Undefined when it is gone. */
function fill(rest: DiscordRest, interaction: LiveInteraction, body: object, files: RawFile[]) {
  const request = { body, files, auth: false };
  return unlessRefused(rest.request<APIMessage>("PATCH", original(interaction), request), isOver);
}

/** Shows a message to the person alone, first in place of a private placeholder. False when it is too late. */
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

/** Lifetime of an interaction's token less a margin, ms. Source: Discord reference, "Interactions". */
const tokenLifetime = 14.5 * 60_000;

/** A command with the data that an answer needs. */
interface KeptCommand {
  command: ChatCommand;
  token: string;
  application: string;
  channel: string;
  placeholder: "public" | "private" | "none";
  /** Names the message that replaces "thinking…", from just before it is sent; empty until then. */
  filling: string;
}

/** As stored: texts by name, times in ms since the epoch. */
type Entry = { [name: string]: Json };

const storeKey = "commands";
const maxKept = 200;

/**
 * Commands whose tokens have not expired, stored so that "thinking…" does not outlive the process that showed it. Bounded: the
 * latest 200. The store must be encrypted. Each method throws when the store fails.
 */
class KeptCommands {
  readonly #sealed: KeyValue;
  readonly #clock: Clock;

  constructor(sealed: KeyValue, clock: Clock) {
    this.#sealed = sealed;
    this.#clock = clock;
  }

  /** Adds the command, or replaces its entry. */
  async keep(kept: KeptCommand): Promise<void> {
    const entry = entryOf(kept);
    await this.#sealed.update<Entry[]>(storeKey, (entries) =>
      [...this.#unexpired(entries).filter(({ id }) => id !== entry.id), entry].slice(-maxKept),
    );
  }

  async forget(gone: string): Promise<void> {
    await this.#sealed.update<Entry[]>(storeKey, (entries) =>
      this.#unexpired(entries).filter(({ id }) => id !== gone),
    );
  }

  /** Deletes all commands, including unreadable ones. */
  async clear(): Promise<void> {
    await this.#sealed.delete(storeKey);
  }

  /** Oldest first. */
  async all(): Promise<KeptCommand[]> {
    return this.#unexpired((await this.#sealed.get(storeKey)) as Entry[] | undefined).map(keptOf);
  }

  #unexpired(entries: Entry[] = []): Entry[] {
    return entries.filter(({ said_at }) => Number(said_at) + tokenLifetime > this.#clock.now());
  }
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

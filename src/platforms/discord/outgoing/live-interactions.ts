import type { APIMessage, RawFile } from "discord.js";
import { MessageFlags, RESTJSONErrorCodes } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";
import type { ChatCommand } from "../../../app/chat/chat-intake.ts";
import { ExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import { growingTo } from "../../../base/growing-cache.ts";
import type { MessageTag, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import { type Json, toJson } from "../../../core/values/json.ts";
import { referenceOf } from "../channel/discord-place.ts";
import { timeOf } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import { editBody, rawFiles, whisperParts } from "./message-body.ts";

/** A command or a press that can still be answered. */
export type LiveInteraction = {
  id: string;
  token: string;
  application: string;
  /**
   * What people see until the answer comes: "thinking…" for everybody, for the person alone, or nothing (for a press). `own` is seen by
   * the person alone, and answers for everybody take its place too, since there is no other place for them.
   */
  placeholder: "public" | "private" | "own" | "none";
  /** The `ChatCommand`, if it is one that still shows "thinking…". */
  command: Json;
  /** Names the message that replaced a public "thinking…", from just before it was sent; empty until then. */
  filling: string;
  /** When its token expires, less a margin, ms since the epoch. */
  until: number;
};

/** Lifetime of an interaction's token less a margin, ms. Source: Discord reference, "Interactions". */
const tokenLifetime = 14.5 * 60_000;

export function liveInteraction(
  given: Pick<LiveInteraction, "id" | "token" | "application" | "placeholder">,
  command?: ChatCommand,
): LiveInteraction {
  const until = timeOf(given.id) + tokenLifetime;
  return { ...given, command: command === undefined ? null : toJson(command), filling: "", until };
}

/** The person dismissed the placeholder, or the token has expired. */
const over = ["gone", "forbidden"] as const;

type Hook = Pick<LiveInteraction, "application" | "token">;
const hook = ({ application, token }: Hook) => `/webhooks/${application}/${token}` as const;
const original = (interaction: Hook) => `${hook(interaction)}/messages/@original` as const;

/** Maximum interactions that a process remembers itself. */
const maxHeard = 10_000;

/**
 * Interactions by id, for the fifteen minutes in which Discord accepts answers to them. All processes share the commands, since another
 * one may answer than the one that heard them. Presses are answered by the process that heard them, as long as it runs; otherwise ordinary
 * messages answer.
 */
export class LiveInteractions {
  readonly #rest: DiscordRest;
  readonly #clock: Clock;
  /** Commands, and the messages that came as answers to them. */
  readonly #shared: ExpiringEntries<LiveInteraction>;
  /** What this process has heard. For commands, the shared entry takes precedence. */
  readonly #heard = new LRUCache<string, LiveInteraction>(growingTo(maxHeard));

  /** @param sealed an encrypted store: tokens are written to it */
  constructor(rest: DiscordRest, sealed: KeyValue, clock: Clock, logger: Log) {
    this.#rest = rest;
    this.#clock = clock;
    this.#shared = new ExpiringEntries(sealed, clock, "interactions", { groups: 64, most: 32 }, (error) =>
      logger.warn(
        { err: error },
        "Discord: shared commands could not be read or written, so an ordinary message may answer one",
      ),
    );
  }

  /** Notes an interaction that this process has acknowledged. */
  add(interaction: LiveInteraction): void {
    this.#heard.set(interaction.id, interaction);
  }

  /** Shares a command with other processes and the next one. Never rejects: without an entry, an ordinary message answers. */
  async share(interaction: LiveInteraction): Promise<void> {
    await this.#shared.change(interaction.id, (found) => found ?? interaction);
  }

  /** Deletes a shared command. Never rejects. */
  async forget(id: string): Promise<void> {
    await this.#shared.change(id, () => undefined);
  }

  /** Commands that other processes acknowledged and that still show "thinking…", as far as is known. Never rejects. */
  async unanswered(): Promise<ChatCommand[]> {
    return (await this.#shared.all())
      .filter(({ id, command }) => command !== null && !this.#heard.has(id))
      .map(({ command }) => command as unknown as ChatCommand);
  }

  async has(id: string): Promise<boolean> {
    return (await this.#find(id)) !== undefined;
  }

  /** Answers for everybody, in place of a public placeholder. Undefined without a placeholder. @throws DiscordProblem */
  async answer(id: string, message: OutgoingMessage): Promise<string | undefined> {
    const interaction = await this.#find(id);
    if (interaction === undefined) return undefined;
    if (interaction.placeholder === "private" && message.tag?.purpose === "answer")
      await this.#dropPlaceholder(interaction);
    if (!(await this.#mayFill(interaction, nameOf(message.tag)))) return undefined;
    const posted = await fill(this.#rest, interaction, editBody(message), rawFiles(message.files ?? []));
    if (posted === undefined) return undefined;
    const settled = withoutPlaceholder(interaction);
    this.#heard.set(posted.id, settled);
    await this.#shared.change(posted.id, () => settled);
    return referenceOf(posted.channel_id, posted.id);
  }

  /** Shows a message to the person alone. False when it is too late. @throws DiscordProblem */
  async whisper(id: string, message: OutgoingMessage): Promise<boolean> {
    const interaction = await this.#find(id);
    if (interaction === undefined) return false;
    if (interaction.placeholder === "public") await this.#dropPlaceholder(interaction);
    if (!(await tell(this.#rest, interaction, message))) return false;
    if (isSeenAlone(interaction)) await this.#change(id, withoutPlaceholder);
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
    const interaction = await this.#find(message);
    if (interaction === undefined) return false;
    const request = { body, files, auth: false };
    await this.#rest.request("PATCH", `${hook(interaction)}/messages/${message}`, request);
    return true;
  }

  /** Deletes a message that came as an answer. False for any other message, and when it is too late. @throws DiscordProblem */
  async remove(message: string): Promise<boolean> {
    const interaction = await this.#find(message);
    if (interaction === undefined) return false;
    const path = `${hook(interaction)}/messages/${message}` as const;
    await unlessRefused(this.#rest.request("DELETE", path, { auth: false }), ...over);
    return true;
  }

  async #find(id: string): Promise<LiveInteraction | undefined> {
    const found = (await this.#shared.get(id)) ?? this.#heard.get(id);
    return found !== undefined && found.until > this.#clock.now() ? found : undefined;
  }

  /**
   * Whether a message may replace a public placeholder: the first one may, and the same one again. This is stored before the message is
   * sent, so that no other message replaces it.
   */
  async #mayFill({ id, placeholder, filling }: LiveInteraction, name: string): Promise<boolean> {
    const isFree = (now: Pick<LiveInteraction, "placeholder">) =>
      now.placeholder === "public" || now.placeholder === "own";
    if (!isFree({ placeholder })) return name !== "" && filling === name;
    const before = await this.#change(id, (now) =>
      isFree(now) ? { ...withoutPlaceholder(now), filling: name } : now,
    );
    return before === undefined || isFree(before) || (name !== "" && before.filling === name);
  }

  async #dropPlaceholder(interaction: LiveInteraction): Promise<void> {
    await unlessRefused(this.#rest.request("DELETE", original(interaction), { auth: false }), ...over);
    await this.#change(interaction.id, withoutPlaceholder);
  }

  /** Changes an interaction here and in the store. Returns the shared one from before. */
  #change(id: string, next: (now: LiveInteraction) => LiveInteraction): Promise<LiveInteraction | undefined> {
    const heard = this.#heard.get(id);
    if (heard !== undefined) this.#heard.set(id, next(heard));
    return this.#shared.change(id, (found) => found && next(found));
  }
}

/** What is left of an interaction when nobody waits for its answer any more. */
function withoutPlaceholder(interaction: LiveInteraction): LiveInteraction {
  return { ...interaction, placeholder: "none", command: null };
}

function isSeenAlone({ placeholder }: LiveInteraction): boolean {
  return placeholder === "private" || placeholder === "own";
}

function nameOf(tag: MessageTag | undefined): string {
  return tag === undefined ? "" : `${tag.turn_id} ${tag.purpose} ${tag.part}`;
}

/** Fills the placeholder. Undefined when it is gone. */
function fill(rest: DiscordRest, interaction: LiveInteraction, body: object, files: RawFile[]) {
  const request = { body, files, auth: false };
  return unlessRefused(rest.request<APIMessage>("PATCH", original(interaction), request), ...over);
}

const tooManyFollowUps = RESTJSONErrorCodes.ThisInteractionHasHitTheMaximumNumberOfFollowUpMessages;

/** Shows a message to the person alone, first in place of a private placeholder or the pressed message. False when it is too late. */
async function tell(
  rest: DiscordRest,
  interaction: LiveInteraction,
  message: OutgoingMessage,
): Promise<boolean> {
  let isFree = isSeenAlone(interaction) || message.closes === true;
  for (const { body, files } of whisperParts(message)) {
    const filled = isFree ? await fill(rest, interaction, body, files) : undefined;
    isFree = false;
    if (filled !== undefined) continue;
    const request = { body: { ...body, flags: body.flags | MessageFlags.Ephemeral }, files, auth: false };
    const sent = rest.request<APIMessage>("POST", hook(interaction), request);
    // The token has expired, or a person outside of the bot's servers has got all the messages that Discord allows there: five.
    if ((await unlessRefused(sent, "gone", tooManyFollowUps)) === undefined) return false;
  }
  return true;
}

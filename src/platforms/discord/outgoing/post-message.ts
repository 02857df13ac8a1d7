import type { APIMessage } from "discord.js";
import { MessageFlags, PermissionFlagsBits, RESTJSONErrorCodes } from "discord-api-types/v10";
import {
  type ButtonAction,
  type MessageTag,
  type OutgoingMessage,
  type ReplyTarget,
  turnOfButton,
} from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import type { DiscordContext } from "../channel/discord-context.ts";
import { readPlace, readReference, referenceOf } from "../channel/discord-place.ts";
import { namingMissingPermissions } from "../channel/missing-permissions.ts";
import { readPage } from "../channel/read-thread.ts";
import { ownWords } from "../channel/said-text.ts";
import { snowflakeAt } from "../connection/discord-facts.ts";
import { DiscordProblem, type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import type { LiveInteractions } from "./live-interactions.ts";
import { calledIn, editBody, maxFiles, messageBody, rawFiles, whisperParts } from "./message-body.ts";
import { actionsIn } from "./render-components.ts";
import { contentDigest, type SentMessage, type SentMessages } from "./sent-messages.ts";

const {
  ViewChannel,
  SendMessages,
  CreatePublicThreads,
  SendMessagesInThreads,
  ReadMessageHistory,
  AttachFiles,
} = PermissionFlagsBits;
const writing =
  ViewChannel | SendMessages | CreatePublicThreads | SendMessagesInThreads | ReadMessageHistory | AttachFiles;

/** The bot's messages in Discord. */
export class DiscordMessages {
  readonly #context: DiscordContext;
  readonly #rest: DiscordRest;
  readonly #sent: SentMessages;
  readonly #live: LiveInteractions;

  constructor(context: DiscordContext, sent: SentMessages, live: LiveInteractions) {
    this.#context = context;
    this.#rest = context.rest;
    this.#sent = sent;
    this.#live = live;
  }

  /**
   * Posts a message in its place; for a person who accepts no direct messages, as an answer to their command while that is possible.
   * @throws DiscordProblem that names the permissions the bot lacks there
   */
  async post(
    place: Place,
    message: OutgoingMessage,
    to?: ReplyTarget,
    stillWanted?: () => void,
  ): Promise<string> {
    const where = { directory: this.#context.directory, namespace: place.namespace };
    const needs = message.poll === undefined ? writing : writing | PermissionFlagsBits.SendPolls;
    try {
      return await namingMissingPermissions(
        where,
        "write",
        () => this.#post(place, message, to, stillWanted),
        needs,
      );
    } catch (error) {
      const command = readPlace(place).person === undefined ? undefined : to?.message;
      const isClosed =
        error instanceof DiscordProblem &&
        error.discordCode === RESTJSONErrorCodes.CannotSendMessagesToThisUser;
      if (command === undefined || !isClosed || !(await this.#live.whisper(command, message))) throw error;
      return referenceOf(command, command);
    }
  }

  async #post(
    place: Place,
    message: OutgoingMessage,
    to: ReplyTarget | undefined,
    stillWanted: (() => void) | undefined,
  ): Promise<string> {
    const answered = await this.#answerCommand(message, to);
    if (answered !== undefined) return answered;
    const { targets, chains } = this.#context;
    const { channel, root } = await targets.open(place);
    const files = message.files ?? [];
    const replyTo = root === undefined ? undefined : await this.#repliedTo(channel, root, to?.message);
    const content = messageBody(message, replyTo);
    const { tag } = message;
    const nonce = tag === undefined ? undefined : await this.#sent.sending(tag, channel, ownWords(content));
    const body = nonce === undefined ? content : { ...content, nonce, enforce_nonce: true };
    const request = { body, files: rawFiles(files.slice(0, maxFiles)) };
    const path = `/channels/${channel}/messages` as const;
    const posted = await this.#inOpenThread(channel, () => {
      stillWanted?.();
      return this.#rest.request<APIMessage>("POST", path, request);
    });
    const reference = referenceOf(channel, posted.id);
    if (root !== undefined) await chains.note(channel, posted.id, root);
    if (tag !== undefined) await this.#sent.sent(tag, channel, reference);
    for (let at = maxFiles; at < files.length; at += maxFiles) {
      await this.#rest.request("POST", path, { body: {}, files: rawFiles(files.slice(at, at + maxFiles)) });
    }
    return reference;
  }

  /**
   * Answers a command in place of its placeholder. That is an edit, which notifies nobody, so a message that notifies others is
   * posted instead.
   */
  async #answerCommand(message: OutgoingMessage, to: ReplyTarget | undefined): Promise<string | undefined> {
    if (to?.message === undefined) return undefined;
    const { users, roles } = calledIn(message);
    if ([...users, ...roles].every((id) => id === to.person)) return this.#live.answer(to.message, message);
    await this.#live.dismiss(to.message);
    return undefined;
  }

  /** The message to reply to: the one that is answered, unless that is a press or a command. */
  async #repliedTo(channel: string, root: string, message: string | undefined): Promise<string> {
    if (message === undefined || (await this.#live.has(message))) return root;
    return (await this.#context.chains.threadOf(channel, message)) === undefined ? message : root;
  }

  /** Changes a message, and adds its missing files. @throws DiscordProblem */
  async edit(reference: string, message: OutgoingMessage): Promise<void> {
    const { channel, message: id } = readReference(reference);
    const path = `/channels/${channel}/messages/${id}` as const;
    const now = await this.#shownNow(path, message);
    const body = editBody(message, message.tag === undefined ? now?.names : undefined);
    const files = rawFiles((message.files ?? []).slice(0, maxFiles)).slice(now?.attached ?? 0);
    if (await this.#live.edit(id, body, files)) return;
    await this.#inOpenThread(channel, () => this.#rest.request("PATCH", path, { body, files }));
  }

  /**
   * The files a message has now: their number, and their names if it consists of components. Discord renames some files, so the
   * number decides: the first ones are there. Not requested for a turn's message without files.
   */
  async #shownNow(
    path: `/channels/${string}/messages/${string}`,
    { tag, files = [] }: OutgoingMessage,
  ): Promise<{ attached: number; names: string[] | undefined } | undefined> {
    if (tag !== undefined && files.length === 0) return undefined;
    const { flags = 0, attachments } = await this.#rest.request<APIMessage>("GET", path);
    const hasComponents = (flags & MessageFlags.IsComponentsV2) !== 0;
    return {
      attached: attachments.length,
      names: hasComponents ? attachments.map(({ filename }) => filename) : undefined,
    };
  }

  /** @throws DiscordProblem unless it is gone */
  async remove(reference: string): Promise<void> {
    const { channel, message } = readReference(reference);
    if (await this.#live.remove(message)) return;
    const request = this.#rest.request("DELETE", `/channels/${channel}/messages/${message}`);
    await unlessRefused(request, "gone");
  }

  /** Runs work in a thread, and reopens the thread if it was archived. */
  async #inOpenThread<T>(channel: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (
        !(error instanceof DiscordProblem) ||
        error.discordCode !== RESTJSONErrorCodes.InvalidActionOnArchivedThread
      )
        throw error;
      await this.#rest.request("PATCH", `/channels/${channel}`, { body: { archived: false } });
      return work();
    }
  }

  /**
   * Shows a message to one person: as the answer to a command or press while that is possible, otherwise as a direct message. A
   * person who accepts none gets a short note in the channel. @throws DiscordProblem
   */
  async whisper(place: Place, person: string, message: OutgoingMessage, to?: ReplyTarget): Promise<void> {
    if (to?.message !== undefined && (await this.#live.whisper(to.message, message))) return;
    const { channel: about } = readPlace(place);
    const markdown = about === undefined ? message.markdown : `${message.markdown}\n\n-# About <#${about}>`;
    const send = async () => {
      const channel = await this.#context.directory.directMessage(person);
      for (const request of whisperParts({ ...message, markdown })) {
        await this.#rest.request("POST", `/channels/${channel}/messages`, request);
      }
      return true;
    };
    const said = await unlessRefused(send(), "forbidden");
    if (said === true || message.unasked || readPlace(place).person !== undefined) return;
    await this.#postNote(place, person, to);
  }

  async #postNote(place: Place, person: string, to: ReplyTarget | undefined): Promise<void> {
    const { channel, root } = await this.#context.targets.look(place);
    const replyTo = root === undefined ? undefined : (to?.message ?? root);
    const body = {
      ...messageBody({ markdown: "" }, replyTo),
      content: `<@${person}> I have an answer only for you, but you do not accept direct messages from this server. Allow them in the server's privacy settings, or use \`/knack\` here.`,
      allowed_mentions: { parse: [], users: [person], replied_user: false },
    };
    await this.#rest.request("POST", `/channels/${channel}/messages`, { body });
  }

  /** Finds a message whose sender ended before it could store Discord's answer. @throws DiscordProblem */
  async find(place: Place, tag: MessageTag): Promise<string | undefined> {
    const { channel } = await this.#context.targets.look(place);
    const sent = await this.#sent.find(tag, channel);
    if (sent?.reference !== undefined) return sent.reference;
    const found = await this.#searchMessage(channel, tag, sent);
    if (found !== undefined) await this.#sent.sent(tag, channel, found);
    return found;
  }

  async #searchMessage(
    channel: string,
    tag: MessageTag,
    sent: SentMessage | undefined,
  ): Promise<string | undefined> {
    const since = sent === undefined ? undefined : snowflakeAt(sent.at - 60_000);
    const self = await this.#context.directory.self();
    const query = since === undefined ? { limit: 50 } : { limit: 100, after: since };
    const latest = await readPage(this.#rest, channel, query);
    for (const message of latest.filter(({ author }) => author.id === self.id)) {
      const reference = referenceOf(channel, message.id);
      const content = ownWords(message);
      if (contentDigest(content) === sent?.digest) return reference;
      // Several approvals of a turn have the same buttons.
      if (carries(message, tag) && !(await this.#sent.isOther(tag, channel, { reference, content })))
        return reference;
    }
    return undefined;
  }
}

/** Edited messages are recognised by their buttons, which name the turn. */
function carries(message: APIMessage, { turn_id, purpose }: MessageTag): boolean {
  return actionsIn(message).some(
    (action) => turnOfButton(action) === turn_id && messageWith(action) === purpose,
  );
}

/** The message of a turn that has such a button. All parts of an answer have the same ones, so they identify no part. */
function messageWith(action: ButtonAction): MessageTag["purpose"] | undefined {
  switch (action.role) {
    case "stop":
      return action.below === "progress" ? "progress" : undefined;
    case "answer":
      return "question";
    case "decide":
      return "approval";
    default:
      return undefined;
  }
}

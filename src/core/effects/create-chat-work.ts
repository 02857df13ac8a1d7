/**
 * The rules for actions in the chat: each method checks the current permissions of the turn's person in the channel. Content of a private
 * channel is shown only there and in the person's direct messages, and the person confirms everything that leaves the channel.
 * docs/security-details.md has the rules as a table.
 */

import { fileNameOf } from "../../base/file-kind.ts";
import type { ChannelAccess, ChannelMessage, MessageQuery, Searcher } from "../ports/chat-actions.ts";
import { channelThread } from "../ports/chat-platform.ts";
import type { Turn } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ChatWork } from "../skill/work-context.ts";
import { sharingReason } from "../transcript/audience.ts";
import type { FileReference } from "../values/inbound.ts";
import { labelOf } from "../values/label.ts";
import { isDirectMessage } from "../values/place.ts";
import { askingReference, ChatDesk, notHere } from "./chat-desk.ts";
import { createMentioning } from "./mentioning.ts";
import { personNamed, tellThem } from "./named-target.ts";
import { createSending, writableChannel } from "./sending.ts";
import { maxToolFile } from "./tool-files.ts";

export function createChatWork(
  scope: TurnScope,
  callId: string,
  skillId: string,
  signal: AbortSignal,
): ChatWork {
  const desk = new ChatDesk(scope, callId, skillId);
  const doing = <T>(work: () => Promise<T>) => desk.doing(work);
  const here = scope.turn.place.namespace;

  const tell = async (from: ChannelAccess, alone: boolean | undefined): Promise<void> => {
    if (isDirectMessage(here)) return;
    const isHere = from.namespace === here;
    if (!isHere && !from.open) throw privateElsewhere(from.name);
    const because = isHere ? "it is a summary for you" : `it tells what is said in #${from.name}`;
    if (alone === true || !isHere)
      await scope.emit({ type: "answer_private", call_id: callId, because, from: from.namespace });
  };
  /** The request itself is not part of the result: otherwise a search would find itself. */
  const withoutAsking = async <Found extends { messages: readonly ChannelMessage[] }>(
    found: Found,
  ): Promise<Found> => {
    const { turn_id } = scope.turn;
    const asking = await doing(() => askingReference(scope.turn, desk.actions));
    return { ...found, messages: found.messages.filter(({ id }) => id !== turn_id && id !== asking) };
  };
  /** Everyone sees a reaction or pin, and the choice of message can reveal something. */
  const sign = async (deed: string, message: string): Promise<void> => {
    if (!scope.state.private) return;
    await desk.ask({
      action: "sign",
      says: { deed: `${deed} this message`, quotes: "message" },
      input: { message },
      reason: sharingReason,
    });
  };
  /** A message of this channel, if the person may write there. */
  const writable = async (reference: string): Promise<ChannelMessage> => {
    await writableChannel(desk);
    return desk.message(reference);
  };

  return {
    channel: (name) => desk.channel(name),
    message: (reference) => desk.message(reference),
    channels: () => doing(() => desk.actions.channels(here, scope.turn.author.id)),
    async read(from, { thread, alone, ...range }) {
      await tell(from, alone);
      const place = { namespace: from.namespace, thread: thread ?? channelThread };
      return withoutAsking(await doing(() => desk.actions.history(place, range)));
    },
    async search(from, asked) {
      const query = await withAuthor(desk, asked);
      await tell(from, false);
      const by = searcherOf(scope.turn);
      return withoutAsking(await doing(() => scope.ports.chats.search(from.namespace, query, by)));
    },
    searchAll: async (query) => searchAll(desk, await withAuthor(desk, query)),
    async people(words, most) {
      const { people } = desk.actions;
      if (people === undefined) throw notHere("look people up");
      return doing(() => people(here, { words, most, asker: scope.turn.author.id }));
    },
    name: createMentioning(desk),
    async react(reference, emoji, on) {
      const { react } = desk.actions;
      if (react === undefined) throw notHere("react to messages");
      const { id, text } = await writable(reference);
      await sign(`${on ? "put" : "take"} :${emoji}: ${on ? "on" : "off"}`, text);
      await doing(() => react(here, id, emoji, on));
    },
    async pin(reference, on) {
      const { pin } = desk.actions;
      if (pin === undefined) throw notHere("pin messages");
      const access = await desk.channel();
      if (!access.pin)
        throw new SkillFailure("not_allowed", "The person may not pin messages here.", tellThem);
      const { id, text } = await writable(reference);
      await sign(on ? "pin" : "unpin", text);
      await doing(() => pin(here, id, on));
    },
    ...createSending(desk),
    async file(reference, name) {
      const { namespace } = await desk.channel();
      const { id, thread = id, author, files } = await desk.message(reference);
      const file = files.find((each) => each.name === fileNameOf(name));
      if (file === undefined) throw noFile(name, files);
      const { turn, ports } = scope;
      if (file.bytes > maxToolFile) throw tooLarge(name);
      const limits = { maxBytes: maxToolFile, signal };
      const data = await doing(() => ports.chats.download({ namespace, thread }, file, limits));
      const { media_type } = file;
      const from = { turn_id: turn.turn_id, by: author.name };
      const kept = await ports.folders.of(turn.place).attach({ name: file.name, media_type, data }, from);
      return kept.path;
    },
  };
}

/** A channel is no private place, even if the turn's answer is private: then the answer was asked for in public. */
function searcherOf({ author, place, message }: Turn): Searcher {
  const { namespace } = place;
  return { person: author.id, namespace, message, private: isDirectMessage(namespace) };
}

/** The query with the author's id. A mention is not looked up: its person may have left. */
async function withAuthor(desk: ChatDesk, query: MessageQuery): Promise<MessageQuery> {
  const { author } = query;
  if (author === undefined) return query;
  const id = /^<@!?([^>]+)>$/.exec(author.trim())?.[1];
  if (id === undefined && desk.actions.people === undefined) return query;
  return { ...query, author: id ?? (await personNamed(desk, author)).id };
}

/** Searches everything, and reads again what the bot itself may read: only that is told with its text. */
async function searchAll(desk: ChatDesk, query: MessageQuery) {
  const { scope, callId, actions } = desk;
  const { turn, emit } = scope;
  const by = searcherOf(turn);
  const all = await desk.doing(async () => actions.searchAll?.(query, by));
  if (all === undefined) throw noSearch();
  const own = await desk.doing(() => askingReference(turn, actions));
  const asking = all.filter(({ reference }) => reference !== own);
  const found = await Promise.all(
    asking.map(async (each) => {
      const { namespace, reference } = each;
      const access = await desk.doing(() => actions.access(namespace, turn.author.id));
      if (!by.private && access?.open === false && namespace !== by.namespace) return [];
      if (access === undefined) return [each];
      const message = await desk.doing(() => actions.message(namespace, reference));
      return [message === undefined ? each : { ...each, message }];
    }),
  );
  const results = found.flat();
  const elsewhere = results.filter(({ namespace }) => namespace !== by.namespace);
  // Only of channels that were read is it checked at the end whether the person may still read them.
  const read = new Set(elsewhere.map((each) => ("message" in each ? each.namespace : undefined)));
  const because = "it tells what is said in other channels";
  for (const from of by.private ? [] : read)
    await emit({ type: "answer_private", call_id: callId, because, from });
  return results;
}

function noSearch(): SkillFailure {
  const message = "Everything at once cannot be searched here now.";
  return new SkillFailure("no_search", message, "Search a channel by its name; chat_read with * lists them.");
}

function noFile(name: string, files: readonly FileReference[]): SkillFailure {
  const has = files.length === 0 ? "It has none." : `It has: ${files.map((each) => each.name).join(", ")}.`;
  return new SkillFailure("no_file", `That message has no file ${name.slice(0, 200)}.`, has);
}

function tooLarge(name: string): SkillFailure {
  const message = `${name.slice(0, 200)} is larger than ${maxToolFile / 1_000_000} MB.`;
  return new SkillFailure("file_too_large", message, "Ask for a smaller one.");
}

function privateElsewhere(name: string): SkillFailure {
  const message = `"${labelOf(name)}" is private: what is said there is not told in another channel.`;
  return new SkillFailure("private_channel", message, "Tell the person to ask in a direct message.");
}

/**
 * What tools do in the chat, with the rights of the person the turn is for: each method asks what that person may do in the channel at
 * this moment, and fails with a `SkillFailure` for the model where they may not, or where the platform cannot. What leaves the channel
 * asks the person first and shows exactly what goes where. SECURITY.md has the rule as a table.
 */
import { approveWithin } from "./approval.ts";
import type {
  ChannelAccess,
  ChannelHistory,
  ChannelMessage,
  ChannelSummary,
  ChatActions,
  KnownGroup,
  KnownPerson,
  MessageQuery,
  TimeRange,
} from "./chat-actions.ts";
import { channelThread, PlatformError } from "./chat-platform.ts";
import type { FoundMessages } from "./chats.ts";
import { SkillFailure } from "./define-skill.ts";
import { createMentioning } from "./mentioning.ts";
import { isDirectMessage } from "./place.ts";
import { createSending, type Sending } from "./sending.ts";
import type { TurnScope } from "./turn-scope.ts";

/** What the chat lets tools do. */
export interface ChatWork extends Sending {
  /** Channels that the person and the bot can read, by name. */
  channels(): Promise<readonly ChannelSummary[]>;
  /**
   * A channel by its name or namespace; the one of the turn unless given. A channel that is not there and one the person may not read are told
   * apart by nobody.
   */
  channel(name?: string): Promise<ChannelAccess>;
  /**
   * Reads messages. What was said in another channel is answered to the person alone, and of a private channel nothing is told
   * outside of it except in their direct messages. `alone`: the answer is for the person alone anyway.
   */
  read(
    channel: ChannelAccess,
    what: TimeRange & { thread?: string | undefined; most: number; alone?: boolean | undefined },
  ): Promise<ChannelHistory>;
  /** Searches a channel; as `read` otherwise. */
  search(channel: ChannelAccess, query: MessageQuery): Promise<FoundMessages>;
  people(
    words: string,
    most: number,
  ): Promise<{ people: readonly KnownPerson[]; groups: readonly KnownGroup[]; more: boolean }>;
  /**
   * Lets the turn's messages call these people and groups. Those whom the person's own message names are free; for others the person
   * is asked.
   */
  name(ids: readonly string[]): Promise<{ id: string; name: string; mention: string }[]>;
  /** Adds or takes away the bot's reaction to a message of this channel. */
  react(reference: string, emoji: string, on: boolean): Promise<void>;
  pin(reference: string, on: boolean): Promise<void>;
  /** A message of this channel; `this` is the one the turn answers. */
  message(reference: string): Promise<ChannelMessage>;
}

/** What the parts of the work share. */
export interface ChatDesk {
  scope: TurnScope;
  callId: string;
  skillId: string;
  /** What can be done here. @throws SkillFailure where nothing can */
  actions(): ChatActions;
  channel(name?: string): Promise<ChannelAccess>;
  message(reference: string): Promise<ChannelMessage>;
  /** Does something on the platform; what it refuses becomes a failure for the model. */
  doing<T>(work: () => Promise<T>): Promise<T>;
  /** Asks the person of the turn. @throws SkillFailure when they refuse */
  ask(what: {
    action: string;
    question: string;
    input: Record<string, string | string[]>;
    reason: string;
  }): Promise<void>;
}

export function createChatWork(scope: TurnScope, callId: string, skillId: string): ChatWork {
  const desk = createDesk(scope, callId, skillId);
  const { actions, channel, message, doing } = desk;
  const here = scope.turn.place.namespace;

  const tell = async (from: ChannelAccess, alone: boolean | undefined): Promise<void> => {
    if (isDirectMessage(here)) return;
    const isHere = from.namespace === here;
    if (!isHere && !from.open) throw privateElsewhere(from.name);
    const because = isHere ? "a summary for you" : `what is said in #${from.name}`;
    if (alone === true || !isHere) await scope.emit({ type: "answer_private", call_id: callId, because });
  };
  /** A message of this channel that may be written to. */
  const writable = async (reference: string): Promise<ChannelMessage> => {
    const access = await channel();
    if (!access.write) throw notWritable(access.name);
    return message(reference);
  };

  return {
    channel,
    message,
    channels: () => doing(() => actions().channels(here, scope.turn.author.id)),
    async read(from, { thread, alone, ...range }) {
      await tell(from, alone);
      const place = { namespace: from.namespace, thread: thread ?? channelThread };
      return doing(() => actions().history(place, range));
    },
    async search(from, query) {
      await tell(from, false);
      return doing(() => scope.ports.chats.search(from.namespace, query));
    },
    async people(words, most) {
      const { people } = actions();
      if (people === undefined) throw nobodyElse();
      return doing(() => people(here, { words, most, asker: scope.turn.author.id }));
    },
    name: createMentioning(desk),
    async react(reference, emoji, on) {
      const { react } = actions();
      if (react === undefined) throw notHere("react to messages");
      const { id } = await writable(reference);
      await doing(() => react(here, id, emoji, on));
    },
    async pin(reference, on) {
      const { pin } = actions();
      if (pin === undefined) throw notHere("pin messages");
      const access = await channel();
      if (!access.pin)
        throw new SkillFailure("not_allowed", "The person may not pin messages here.", tellThem);
      const { id } = await writable(reference);
      await doing(() => pin(here, id, on));
    },
    ...createSending(desk),
  };
}

const tellThem = "Tell the person.";

function createDesk(scope: TurnScope, callId: string, skillId: string): ChatDesk {
  const { turn, ports } = scope;
  const here = turn.place.namespace;
  const actions = (): ChatActions => {
    const found = ports.chats.actions(here);
    if (found === undefined) throw notHere("look at channels");
    return found;
  };
  const doing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new SkillFailure(`platform_${error.code}`, error.message, tellThem);
    }
  };
  const channel: ChatDesk["channel"] = (name) =>
    doing(async () => {
      const namespace = name === undefined ? here : await namespaceOf(actions(), here, turn.author.id, name);
      const access = namespace === undefined ? undefined : await actions().access(namespace, turn.author.id);
      if (access === undefined) throw noChannel(name);
      return access;
    });
  return {
    ...{ scope, callId, skillId, actions, channel, doing },
    async message(reference) {
      const id = reference === "this" ? await originalMessage(scope) : reference;
      const found = id === undefined ? undefined : await doing(() => actions().message(here, id));
      if (found === undefined) {
        const hint = "Take the id of a message from a result of reading this channel.";
        throw new SkillFailure("no_message", `There is no message ${reference} in this channel.`, hint);
      }
      return found;
    },
    async ask({ action, ...asked }) {
      const where = { callId: `${callId}/approval:${action}`, skillId };
      const decided = await approveWithin(scope, where, { action, ...asked, approver: "asker" });
      if (decided.approved) return;
      const who = decided.by === "" ? "Nobody allowed it in time" : `${decided.name ?? decided.by} refused`;
      const hint = "Do not try it again unless the person asks for it. Say what was not done.";
      throw new SkillFailure("refused", `${who}, so nothing was done.`, hint);
    },
  };
}

/** The message the turn answers; undefined where nobody wrote one, and where it has no id. */
async function originalMessage({ turn, ports }: TurnScope): Promise<string | undefined> {
  if (turn.message === undefined) return undefined;
  const reference = ports.chats.actions(turn.place.namespace)?.reference;
  return reference === undefined ? turn.message : reference(turn.place, turn.message);
}

/** Where a name leads: a namespace, or the name of a channel that both can read. */
async function namespaceOf(
  actions: ChatActions,
  here: string,
  person: string,
  name: string,
): Promise<string | undefined> {
  const wanted = name.trim().replace(/^#/, "").toLowerCase();
  if (wanted === "" || wanted === "here") return here;
  if (name.includes(":")) return name.trim();
  const channels = await actions.channels(here, person);
  return channels.find((each) => each.name.toLowerCase() === wanted)?.namespace;
}

function noChannel(name: string | undefined): SkillFailure {
  const message =
    name === undefined
      ? "This channel cannot be read: the bot or the person is not in it."
      : `There is no channel ${name} that both the person and the bot can read.`;
  return new SkillFailure("no_channel", message, "Tell the person; the bot has to be invited to a channel.");
}

function privateElsewhere(name: string): SkillFailure {
  const message = `#${name} is private: what is said there is not told in another channel.`;
  return new SkillFailure("private_channel", message, "Tell the person to ask in a direct message.");
}

function notWritable(name: string): SkillFailure {
  return new SkillFailure(
    "not_writable",
    `Nobody can write in #${name} now, or the person may not.`,
    tellThem,
  );
}

function nobodyElse(): SkillFailure {
  const message = "There are no other people here: this is the person's own chat with the bot.";
  return new SkillFailure("not_here", message, tellThem);
}

/** That a place cannot do something. */
export function notHere(what: string): SkillFailure {
  return new SkillFailure("not_here", `This chat cannot ${what}.`, tellThem);
}

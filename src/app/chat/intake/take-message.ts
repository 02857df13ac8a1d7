import { LRUCache } from "lru-cache";
import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import type { ChatPerson } from "../../../core/ports/chat-platform.ts";
import { type ReplyMode, settingsOf } from "../../../core/skill/namespace-state.ts";
import type { SaidTo } from "../../turns/command-reader.ts";
import type { ChatMessage } from "../chat-intake.ts";
import { ExpiringEntries } from "../expiring-entries.ts";
import { acceptMessage, noteTaken, type TakenMessage } from "./accept-message.ts";
import { authorOf, type IntakeContext } from "./intake-context.ts";
import type { LateMessages } from "./late-messages.ts";
import { isBotHeard, isBotLoop } from "./other-bots.ts";
import { refusalOf } from "./refusal-of.ts";
import type { ThreadState } from "./thread-states.ts";
import { type Listener, topicOf } from "./whisperer.ts";

/** Decides on one message and acts on it. Resolves with whether it is for the bot, once it is stored or nothing has to be stored. */
export type TakeMessage = (message: ChatMessage) => Promise<boolean>;

const refusalPauseMs = 10 * 60_000;
const pausedPauseMs = 60 * 60_000;

/** Dedupe window for messages that produced no turn. */
const maxUnansweredInMemory = 5_000;

/** Maximum total characters of their texts: one Slack message can have 40,000. */
const maxUnansweredCharacters = 5_000_000;

interface Taking {
  context: IntakeContext;
  late: LateMessages;
  cooldown: ReturnType<typeof createCooldown>;
}

export function createTakeMessage(context: IntakeContext, late: LateMessages): TakeMessage {
  const { store, policy } = context;
  const taking = { context, late, cooldown: createCooldown(context) };
  const mutex = new KeyedMutex();
  /** Texts by key: a decision holds until the text changes. */
  const decided = new LRUCache<string, string>({
    max: maxUnansweredInMemory,
    maxSize: maxUnansweredCharacters,
    sizeCalculation: (text) => text.length + 1,
  });

  return async function takeMessage(message) {
    const { key, text, place } = message;
    if (message.by_bot && !(await isBotHeard(context, message))) return false;
    // One after the other: a follow-up may arrive while the mention before it is still being checked, and Slack delivers a mention twice.
    return mutex.run(`${place.namespace} ${place.thread}`, async () => {
      const thread = await threadOf(context, message);
      const { reply = policy.reply } = isAddressed(message) ? {} : await settingsOf(store, place.namespace);
      if (!isForBot(message, reply, thread)) return false;
      if (decided.get(key) === text) return true;
      await take(taking, message, thread);
      decided.set(key, text);
      return true;
    });
  };
}

/** The state of the message's thread, including the message. Direct messages and messages outside of threads need no look-up. */
async function threadOf({ threads }: IntakeContext, message: ChatMessage): Promise<ThreadState | undefined> {
  const { addressed, in_thread, place } = message;
  if (addressed === "direct" || (addressed === "none" && !in_thread)) return undefined;
  return threads.note(place, message, false);
}

async function take(taking: Taking, message: ChatMessage, thread: ThreadState | undefined): Promise<void> {
  const { context } = taking;
  const { log, platform, logger } = context;
  if (message.by_bot && (await isBotLoop(context, message, thread))) {
    logger.info({ ...message.place, person: message.author }, "Ignoring bot: bots started too many turns");
    return;
  }
  if ((await log.find(message.key)) !== undefined) {
    // Already recorded, unless the process ended between storing the message and recording the thread.
    if (thread === undefined) await noteTaken(context, message.place, message);
    return;
  }
  const person = await platform.person(message.place, message.author);
  const to: Listener = { place: message.place, person: person.id, about: message.id };
  const toBot = isAddressed(message) || (message.in_thread && isAloneWithBot(message, thread));
  const saidTo = toBot ? "bot" : "room";
  const isCommand = context.app.reader.read(message.text, message.place, saidTo).kind === "command";
  const taken = takenMessage(message, person, saidTo);
  const asked: Asked = { message, person, to, toBot, isCommand, taken };
  if (await isTurnedAway(context, asked)) return;
  if (await isLate(taking, asked)) return;
  if (await mustWait(taking, asked)) return;
  const accepted = await acceptMessage(context, taken);
  if (accepted && !isCommand) await taking.cooldown.start(person.id);
  // Another process that took the same message notes it.
  if (accepted || thread === undefined) await noteTaken(context, message.place, message);
}

function takenMessage(message: ChatMessage, person: ChatPerson, to: SaidTo): TakenMessage {
  const { key, place, id, text, in_thread, said_at, files, mentions = [], looking_at } = message;
  const origin = {
    message: id,
    said_at,
    files: [...files],
    in_thread,
    ...(mentions.length === 0 ? {} : { mentions: [...mentions] }),
    ...(looking_at === undefined ? {} : { looking_at: [...looking_at] }),
  };
  return { key, place, id, in_thread, author: authorOf(person), text, to, origin };
}

interface Asked {
  message: ChatMessage;
  person: ChatPerson;
  to: Listener;
  /** Whether it addresses the bot, rather than a channel in which the bot answers everything. */
  toBot: boolean;
  isCommand: boolean;
  taken: TakenMessage;
}

/** Handles refusals, empty mentions and paused channels. Only a person who addressed the bot is told, and not every time. */
async function isTurnedAway(
  context: IntakeContext,
  { message, person, to, isCommand }: Asked,
): Promise<boolean> {
  const { policy, store, whisperer, app } = context;
  const isTold = isAddressed(message);
  const refusal = refusalOf(policy.access, person, message.place);
  if (refusal !== undefined) {
    if (isTold) await whisperer.sayOnce(to, "refused", refusal, refusalPauseMs);
    return true;
  }
  if (message.text.trim() === "" && message.files.length === 0) {
    if (isTold) await whisperer.sayOnce(to, topicOf(message), shortHelp(app.name));
    return true;
  }
  const { paused } = await settingsOf(store, message.place.namespace);
  if (paused === undefined || isCommand) return false;
  const markdown =
    "I am paused here, so I did not answer your message. A manager of the channel can resume me with `/agent resume`; then send it again.";
  if (isTold) await whisperer.sayOnce(to, "paused", markdown, pausedPauseMs);
  return true;
}

function shortHelp(name: string): string {
  return `Write your question or task after \`@${name}\`, or attach files. \`/skill list\` shows what I can do here, \`/knack help\` all commands.`;
}

/** For a message that is too old, asks whether it is still wanted instead of answering it. */
async function isLate(
  { context, late }: Taking,
  { message, taken, to, toBot, isCommand }: Asked,
): Promise<boolean> {
  const { clock, policy, whisperer } = context;
  if (clock.now() - message.said_at <= policy.stale_ms) return false;
  if (isCommand) await whisperer.sayOnce(to, topicOf(message), lateCommand);
  else if (toBot && !message.by_bot) await late.ask(taken);
  return true;
}

/** The reply to a command that came too late. */
export const lateCommand =
  "Your command arrived too late and was skipped. Send it again if you still need it.";

/** Enforces the minimum time between questions. Messages to a running turn are not new questions. Operators and missed messages are exempt. */
async function mustWait(
  { context, cooldown }: Taking,
  { message, person, to, isCommand }: Asked,
): Promise<boolean> {
  const left = isCommand ? 0 : await cooldown.left(person.id);
  if (left === 0 || message.missed || person.trust === "operator") return false;
  const turns = await context.app.turns({ ...message.place, limit: 20 });
  if (turns.some((turn) => turn.status !== "finished" && turn.author.id === person.id)) return false;
  // Another process has taken this very message.
  if ((await context.log.find(message.key)) !== undefined) return false;
  const seconds = Math.ceil(left / 1_000);
  const markdown = `One question at a time, please: ask again in ${seconds} ${seconds === 1 ? "second" : "seconds"}. I did not answer this message.`;
  await context.whisperer.sayOnce(to, topicOf(message), markdown);
  return true;
}

/** Enforces the minimum time between two questions of one person. */
function createCooldown({ store, clock, platform, policy }: IntakeContext) {
  const { cooldown_ms } = policy.access;
  const waiting = new ExpiringEntries(store, clock, `chat-cooldown:${platform.id}`, {
    groups: 64,
    most: 128,
  });
  return {
    /** Remaining time the person has to wait, ms; 0 when they may ask. */
    async left(person: string): Promise<number> {
      const entry = cooldown_ms === 0 ? undefined : await waiting.get(person);
      return entry === undefined ? 0 : entry.until - clock.now();
    },
    /** The person asked something: their waiting time starts. */
    async start(person: string): Promise<void> {
      if (cooldown_ms > 0) await waiting.change(person, () => ({ until: clock.now() + cooldown_ms }));
    },
  };
}

/** Whether the message addresses the bot directly: then refusals are answered, and words like `stop` are commands. */
function isAddressed({ addressed }: Pick<ChatMessage, "addressed">): boolean {
  return addressed !== "none";
}

/**
 * Whether a message is for the bot: it addresses the bot, or the channel's `reply` setting includes it. In mode `thread` the bot
 * answers in threads it was called into, while the asker is the only person there; so it does in mode `ambient`.
 */
function isForBot(
  message: Pick<ChatMessage, "addressed" | "author" | "mentions_others" | "in_thread" | "text">,
  reply: ReplyMode,
  thread: ThreadState | undefined,
): boolean {
  const { addressed } = message;
  if (addressed === "mention" || addressed === "direct") return true;
  const toSomebodyElse = message.text.trimStart().startsWith("@");
  if (toSomebodyElse) return false;
  if (addressed === "reply") return true;
  if (message.mentions_others) return false;
  if (reply === "always") return true;
  return reply !== "mention" && message.in_thread && isAloneWithBot(message, thread);
}

/** Whether nobody but the author and the bot is in a thread the bot was called into. */
function isAloneWithBot({ author }: Pick<ChatMessage, "author">, thread: ThreadState | undefined): boolean {
  return thread?.company === "alone" && thread.asker === author;
}

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../src/client/api-client.ts";
import { openKeyValue } from "../../src/storage/keyv-store.ts";
import { type BotProcess, createBotHome } from "../support/bot/bot-process.ts";
import { startPlatforms } from "../support/bot/platform-bot.ts";
import { startPlatformModel } from "../support/bot/platform-model.ts";
import { type Chat, discordWith, openChats, type Who } from "./missed-chats.ts";
import { type Line, refuse, tell } from "./report.ts";

/** How much is missed, and what goes wrong meanwhile. */
interface MissedSize {
  /** Threads of each kind on each platform. */
  threads: number;
  /** How long the platforms' APIs fail after the start, ms. */
  faultMs: number;
  /** Whether everything fails then, not only reading messages. */
  failsAll: boolean;
  /** How often the bot is killed in the middle of fetching what was missed. */
  kills: number;
  /** Maximum time until all is answered after that, ms. */
  limitMs: number;
}

/** A thread of a channel in which people talk with the bot. */
interface Thread {
  chat: Chat;
  channel: string;
  id: string;
  said: Said[];
}

/** A message to the bot. */
interface Said {
  word: string;
  /** So old that the bot asks whether it is still wanted. */
  isStale: boolean;
}

const hour = 3_600_000;
/** Channels on each platform. */
const rooms = 6;
/** How often the threads are looked at, ms. */
const lookMs = 500;
/** A bot that is killed while it fetches what was missed lives so long at most, ms. */
const maxLifeMs = 1_000;

/** The table, and what the threads show in which something is wrong. */
interface MissedResult {
  lines: Line[];
  evidence: unknown[];
}

/**
 * A bot on Slack and Discord is killed; people write to it in threads that it knows, in others, in new ones and in channels it was never
 * called in; it starts while the platforms cannot be read, and people write on. Counts what got neither an answer nor a question, what was
 * taken twice, and what was taken out of order.
 */
export async function missed(size: MissedSize): Promise<MissedResult> {
  const world = await openWorld();
  try {
    const { chats, talk, start, kill } = world;
    const { client } = await start();
    const known: Thread[][] = [];
    for (const chat of chats) known.push(await talk.begin(chat, size.threads));
    await answered(client, talk.threads, size.limitMs);
    for (const [at, chat] of chats.entries())
      known[at]?.push(...(await talk.beginAmongPeople(chat, size.threads)));
    await kill();
    await world.wasDownForAnHour();
    for (const chat of chats) await talk.missStale(chat, size.threads);
    for (let life = 0; life <= size.kills; life += 1) {
      for (const [at, chat] of chats.entries()) await talk.miss(chat, known[at] ?? [], size.threads);
      if (life === size.kills) break;
      await start();
      await sleep(Math.random() * maxLifeMs);
      await kill();
    }
    const last = await startInFaults(world, size);
    const began = performance.now();
    await answered(last, talk.threads, size.limitMs);
    const seconds = Math.round((performance.now() - began) / 1_000);
    // What comes late would be a second answer.
    await sleep(2_000);
    const { lines, evidence } = await judge(last, talk.threads);
    if (evidence.length > 0) evidence.push(world.log());
    return { lines: [...lines, tell("seconds after the faults", seconds)], evidence };
  } finally {
    await world.close();
  }
}

/** Starts the bot while messages cannot be read; people write on all the time. */
async function startInFaults(
  { chats, talk, start }: Awaited<ReturnType<typeof openWorld>>,
  { faultMs, failsAll }: MissedSize,
): Promise<ApiClient> {
  for (const { gate, isRead } of chats) gate.fail(isRead);
  const { client } = await start();
  if (failsAll) for (const { gate } of chats) gate.fail(() => true);
  const over = performance.now() + faultMs;
  for (let left = 3; left > 0; left -= 1) {
    await talk.goOn();
    await sleep(Math.max(0, over - performance.now()) / left);
  }
  for (const { gate } of chats) gate.fail(() => false);
  await talk.goOn();
  return client;
}

async function openWorld() {
  const platforms = await startPlatforms({ discord: discordWith(rooms) });
  const model = await startPlatformModel({ keeps: false });
  // The question comes after what else was said in the thread.
  model.when("question", ({ text }) => [`Reply to ${text.match(/question w\d+x/g)?.at(-1)}.`]);
  const env = {
    ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url },
    ...{ KNACK_NET_ALLOW: "127.0.0.1", ...platforms.env },
  };
  const home = await createBotHome({ env, config: "turns: { concurrent: 20 }\n" });
  let bot: BotProcess | undefined;
  return {
    chats: await openChats(platforms, rooms),
    talk: createTalk(),
    async start(): Promise<BotProcess> {
      bot = await home.start();
      await platforms.connected();
      return bot;
    },
    async kill(): Promise<void> {
      const { slack, discord } = platforms;
      await bot?.kill();
      await slack.until(({ all }) => all.connections === 0, "the end of the connection to Slack", 30_000);
      await discord.until(({ sessions }) => !sessions.some(({ connected }) => connected));
    },
    /** Makes the bot that is down have been down for an hour. */
    async wasDownForAnHour(): Promise<void> {
      const store = await openKeyValue(join(home.data, "state.db"));
      for (const name of ["slack", "discord"]) await store.set(`chat-seen:${name}`, Date.now() - hour);
      await store.close();
    },
    /** What the latest life wrote to stderr. */
    log: () => bot?.err(),
    async close(): Promise<void> {
      await home.remove();
      await Promise.all([platforms.stop(), model.stop()]);
    },
  };
}

/** What people say, and where. */
function createTalk() {
  const threads: Thread[] = [];
  let words = 0;
  const say = async (
    { chat, channel, id, said }: Thread,
    who: Who,
    { ago, inChannel = false }: { ago?: number; inChannel?: boolean } = {},
  ) => {
    words += 1;
    const word = `w${words}x`;
    const thread = inChannel ? undefined : id;
    const text = `${chat.mention} question ${word}`;
    const message = await chat.say({ channel, thread, who, text, ago });
    said.push({ word, isStale: ago !== undefined });
    return message;
  };
  const channelOf = ({ channels }: Chat, at: number) => channels[at % channels.length] ?? "";
  /** A thread below a first message to the bot. */
  const beginOne = async (chat: Chat, channel: string, ago?: number): Promise<Thread> => {
    const thread: Thread = { chat, channel, id: "", said: [] };
    threads.push(thread);
    thread.id = await say(thread, "member", { ...(ago === undefined ? {} : { ago }), inChannel: true });
    return thread;
  };
  return {
    threads,
    /** Threads that the bot knows, in two channels. */
    begin: (chat: Chat, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => beginOne(chat, channelOf(chat, at % 2)))),
    /** Threads in which the bot was never called. */
    beginAmongPeople: (chat: Chat, count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const channel = channelOf(chat, at);
          const root = await chat.say({ channel, who: "member", text: "lunch, anybody?" });
          const id = await chat.open(channel, root);
          await chat.say({ channel, thread: id, who: "other", text: "at noon" });
          const thread: Thread = { chat, channel, id, said: [] };
          threads.push(thread);
          return thread;
        }),
      ),
    /** New threads of two people, too old to be answered unasked. */
    async missStale(chat: Chat, count: number) {
      for (let at = 0; at < count; at += 1) {
        const thread = await beginOne(chat, channelOf(chat, at), 40 * 60_000 - at * 1_000);
        thread.id = await chat.open(thread.channel, thread.id);
        if (at % 2 === 0) await say(thread, "other", { ago: 30 * 60_000 });
      }
    },
    /** Two people write into these threads and into new ones. The first message of one new thread is deleted. */
    async miss(chat: Chat, known: readonly Thread[], count: number) {
      for (const thread of known) for (const who of ["member", "other"] as const) await say(thread, who);
      for (let at = 0; at < count; at += 1) {
        const thread = await beginOne(chat, channelOf(chat, at + 2));
        const root = thread.id;
        thread.id = await chat.open(thread.channel, root);
        for (const who of ["other", "member"] as const) await say(thread, who);
        if (at > 0) continue;
        await chat.remove(thread.channel, root);
        thread.said.shift();
      }
    },
    /** Somebody writes into every thread. */
    async goOn() {
      await Promise.all(threads.map((thread) => say(thread, "other")));
    },
  };
}

type Turns = Awaited<ReturnType<typeof turnsOf>>;

async function turnsOf(client: ApiClient, { chat, channel, id }: Thread) {
  const { turns } = await client.call("thread.show", { ns: chat.namespaceOf(channel), thread: id });
  return turns.map(({ turn, events }) => ({
    id: turn.turn_id,
    word: wordIn(turn.question),
    end: events.find((event) => event.type === "turn_finished"),
  }));
}

const wordIn = (text: string) => /question (w\d+x)/.exec(text)?.[1] ?? "";

/** Waits until every message that is not too old has a turn that ended, and until what was answered is posted. */
async function answered(client: ApiClient, threads: readonly Thread[], limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  let open = [...threads];
  while (open.length > 0 && performance.now() < end) {
    const left = await Promise.all(
      open.map(async (thread) => ((await findingsIn(client, thread)).lost.length === 0 ? [] : [thread])),
    );
    open = left.flat();
    await sleep(lookMs);
  }
}

type Findings = Awaited<ReturnType<typeof findingsIn>>;

/** What is wrong in a thread, by the words of its messages. */
async function findingsIn(client: ApiClient, thread: Thread) {
  const { chat, channel, id, said } = thread;
  const [turns, posts] = [await turnsOf(client, thread), await chat.posts(channel, id)];
  const fresh = said.filter(({ isStale }) => !isStale).map(({ word }) => word);
  const stale = said.filter(({ isStale }) => isStale).map(({ word }) => word);
  const questions = posts.filter((text) => text.includes("Still want"));
  const isAsked = questions.some(
    (text) => stale.length === 1 || text.includes(`when ${stale.length} messages`),
  );
  // A message to a running turn is answered by that turn.
  const answering = new Map(turns.map(({ word, id: own, end }) => [word, end?.merged_into ?? own]));
  const shown = posts.flatMap((text) => (text.startsWith("Reply to") ? wordIn(text) : []));
  const isShown = (word: string) => shown.some((each) => answering.get(each) === answering.get(word));
  const isDone = (word: string) => turns.some((turn) => turn.word === word && turn.end !== undefined);
  const isTwice = (words: readonly string[]) => (word: string) =>
    words.filter((each) => each === word).length > 1;
  return {
    lost: [
      ...fresh.filter((word) => !isDone(word) || !isShown(word)),
      ...(stale.length === 0 || isAsked ? [] : stale),
    ],
    doubled: [
      ...said.map(({ word }) => word).filter(isTwice(turns.map(({ word }) => word))),
      ...said.map(({ word }) => word).filter(isTwice(shown)),
      ...(questions.length > 1 ? stale : []),
    ],
    disordered: outOfOrder(fresh, turns, shown, answering),
    failed: turns
      .filter(({ end }) => end !== undefined && end.outcome !== "completed")
      .map(({ word }) => word),
    evidence: { platform: chat.name, channel, id, said, turns, posts },
  };
}

/** Words whose turn, or the answer of whose turn, came before that of one that was said earlier. */
function outOfOrder(
  said: readonly string[],
  turns: Turns,
  shown: readonly string[],
  answering: ReadonlyMap<string, string>,
): string[] {
  const wrong = (order: readonly string[]) => {
    const places = order.map((word) => said.indexOf(word)).filter((place) => place >= 0);
    const isLate = (place: number, at: number) => places.slice(0, at).some((each) => each > place);
    return places.filter(isLate).map((place) => said[place] ?? "");
  };
  const begun = shown.map((word) => turns.find(({ id }) => id === answering.get(word))?.word ?? word);
  return [...new Set([...wrong(turns.map(({ word }) => word)), ...wrong(begun)])];
}

async function judge(client: ApiClient, threads: readonly Thread[]): Promise<MissedResult> {
  const found = await Promise.all(threads.map((thread) => findingsIn(client, thread)));
  const all = (of: (findings: Findings) => readonly string[]) => found.flatMap(of);
  const said = threads.flatMap((thread) => thread.said);
  return {
    lines: [
      tell("messages", said.length),
      tell("too old, asked about", said.filter(({ isStale }) => isStale).length),
      refuse(
        "lost",
        all(({ lost }) => lost),
      ),
      refuse(
        "taken or answered twice",
        all(({ doubled }) => doubled),
      ),
      refuse(
        "out of order",
        all(({ disordered }) => disordered),
      ),
      refuse(
        "failed",
        all(({ failed }) => failed),
      ),
    ],
    evidence: found
      .filter(
        ({ lost, doubled, disordered, failed }) => [lost, doubled, disordered, failed].flat().length > 0,
      )
      .map(({ evidence }) => evidence),
  };
}

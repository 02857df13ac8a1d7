import type { ApiClient } from "../../src/client/api-client.ts";
import { type BotHome, createBotHome } from "../support/bot/bot-process.ts";
import { startPlatforms } from "../support/bot/platform-bot.ts";
import { type PlatformModel, startPlatformModel } from "../support/bot/platform-model.ts";
import type { Surface } from "../support/bot/platform-surface.ts";
import { clientOf, emptySeen, runClients, type Seen } from "./clients.ts";
import { type EffectServer, startEffectServer } from "./effect-server.ts";
import { type Fleet, type Role, startFleet } from "./fleet.ts";
import { type Faults, killAgainAndAgain } from "./killer.ts";
import { judgeTalk, type Talk, talk } from "./people.ts";
import { judge, type Line, readStored, tell, withoutReceipt } from "./report.ts";
import { openStore, type SoakStore, type StoreName } from "./store.ts";
import { chatMessagesFor, flowsFor, messagesFor, playScript } from "./workload.ts";

/** How much happens. */
export interface SoakSize extends Faults {
  messages: number;
  threads: number;
  /** Clients that post at the same time. */
  clients: number;
  minutes: number;
  /** Messages of people on each platform, each in a thread of its own. */
  chat: number;
}

export interface SoakOptions {
  size: SoakSize;
  store: StoreName;
  /** The processes of the bot. */
  roles: readonly Role[];
  /** Whether PostgreSQL syncs what it writes, as it does for people; off unless told, which is faster. */
  synced?: boolean;
  /** How long a worker stands still, ms. */
  pauseMs: number;
  /** YAML that is added to the configuration. */
  config?: string;
  /** Called with the number of turns that have ended, every 10 seconds. */
  tell?(ended: number): void;
  /** Added to the environment of the process with this name. */
  env?(name: string): Record<string, string>;
  /** What else happens to the bot. */
  meanwhile?(fleet: Fleet): Promise<void>;
}

/** What came out: the table, and what explains lines that are wrong. */
export interface SoakResult {
  lines: Line[];
  evidence: {
    seen: Seen;
    stored: Awaited<ReturnType<typeof readStored>>;
    shown: Awaited<ReturnType<typeof judgeTalk>>["shown"];
    logs: Record<string, string>;
  };
}

/** How often `tell` is called, ms. */
const tellMs = 10_000;

/** The first message on a platform has this number, on the next platform twice that. */
const firstChatMessage = 1_000_000;

const config = `spending:
  per_channel_day_tokens: 1000000000
  per_user_day_tokens: 1000000000
  per_channel_day_usd: 100000
  per_user_day_usd: 100000
`;

/** Clients work with a bot whose processes are killed, stopped and cut off again and again; then everything is counted. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { store, synced = false, size } = options;
  const world = await openWorld(store, config + (options.config ?? ""), { synced, chats: size.chat > 0 });
  playScript(world.model);
  for (const [name, text] of Object.entries(flowsFor(world.effects.url)))
    await world.home.write(`.knack-workspace/flows/${name}.json`, text);
  try {
    const fleet = await startFleet(world.home, world.store, options);
    await world.connected();
    return await run(options, world, fleet);
  } finally {
    await world.close();
  }
}

/** What surrounds the processes of a bot. */
export interface World {
  model: PlatformModel;
  effects: EffectServer;
  store: SoakStore;
  home: BotHome;
  /** What the bot is on. */
  platforms: readonly Surface[];
  /** Waits until the bot is on them. */
  connected(): Promise<void>;
  /** Ends the processes, and removes their data. */
  close(): Promise<void>;
}

/** @param chats whether the bot is on both platforms. `synced` is as in `SoakOptions` */
export async function openWorld(
  storeName: StoreName,
  config: string,
  { synced, chats }: { synced: boolean; chats: boolean },
): Promise<World> {
  // As Slack does, but sooner (its last tries come after one and five minutes): a killed bot has started again on a busy machine.
  const slack = { retryDelaysMs: [0, 1_000, 30_000] };
  const platforms = chats ? await startPlatforms({ slack }) : undefined;
  const [model, effects, store] = await Promise.all([
    startPlatformModel({ keeps: false }),
    startEffectServer(),
    openStore(storeName, synced),
  ]);
  const env = {
    ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url },
    KNACK_NET_ALLOW: "127.0.0.1",
    ...platforms?.env,
  };
  const home = await createBotHome({ env, config });
  return {
    model,
    effects,
    store,
    home,
    platforms: Object.values(platforms?.surfaces ?? {}),
    connected: async () => platforms?.connected(),
    async close() {
      await home.remove();
      await Promise.all([model.stop(), effects.stop(), platforms?.stop()]);
    },
  };
}

async function run(
  { size, pauseMs, tell: told = () => {}, meanwhile = async () => {} }: SoakOptions,
  { store, effects, platforms }: World,
  fleet: Fleet,
): Promise<SoakResult> {
  const began = performance.now();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(size.minutes * 60_000)]);
  const messages = messagesFor(size.messages, size.threads);
  const seen = emptySeen();
  const client = clientOf(fleet.addresses);
  const talks: Talk[] = platforms.map((surface, at) => ({
    surface,
    messages: chatMessagesFor(size.chat, (at + 1) * firstChatMessage),
    threads: new Map(),
  }));
  const namespaces = new Set(messages.map(({ namespace }) => namespace));
  const chats = platforms.map(({ namespace }) => namespace);
  await pinFlows(client, [...namespaces, ...chats]);
  let talked = 0;
  const ended = () => seen.ended.size + talked;
  const answered = () => {
    talked += 1;
  };
  const progress = () => ended() / (messages.length + talks.length * size.chat);
  const telling = setInterval(() => told(ended()), tellMs);
  try {
    const [done] = await Promise.all([
      killAgainAndAgain({ fleet, store, faults: size, pauseMs, progress, signal }),
      runClients(client, messages, seen, { clients: size.clients, signal }),
      ...talks.map((each) => talk(each, { signal, answered })),
      meanwhile(fleet),
    ]);
    const stored = await readStored(client, namespaces, seen);
    const chatted = await readStored(client, chats, seen);
    const judged = await Promise.all(talks.map((each) => judgeTalk(each, chatted)));
    const lines: Line[] = [
      tell("commits wait for the disk (1: yes, 0: no)", Number(await store.syncs())),
      { name: "seconds", count: Math.round((performance.now() - began) / 1_000) },
      ...Object.entries(done)
        .filter(([kind]) => size[kind as keyof Faults] > 0)
        .map(([kind, count]) => ({ name: kind, count })),
      ...judge(messages, seen, stored, effects.counts),
      ...judged.flatMap((each) => each.lines),
      await withoutReceipt(client, [...stored, ...chatted].flat()),
      fallenOf(fleet),
    ];
    const logs = Object.fromEntries(fleet.members.map((member) => [member.name, member.log()]));
    const shown = judged.flatMap((each) => each.shown);
    return { lines, evidence: { seen, stored, shown, logs } };
  } finally {
    clearInterval(telling);
    over.abort();
  }
}

function fallenOf({ members }: Fleet): Line {
  const wrong = members.filter((member) => member.hasFallen()).map(({ name }) => name);
  return { name: "processes that ended by themselves", count: wrong.length, wrong };
}

async function pinFlows(client: ApiClient, namespaces: readonly string[]): Promise<void> {
  for (const ns of namespaces)
    for (const id of ["effect", "asked"]) await client.call("skill.set", { ns, id, state: "pinned" });
}

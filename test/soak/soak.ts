import { type BotHome, createBotHome } from "../support/bot/bot-process.ts";
import { type PlatformModel, startPlatformModel } from "../support/bot/platform-model.ts";
import { clientOf, emptySeen, runClients, type Seen } from "./clients.ts";
import { type EffectServer, startEffectServer } from "./effect-server.ts";
import { type Fleet, type Role, startFleet } from "./fleet.ts";
import { type Faults, killAgainAndAgain } from "./killer.ts";
import { judge, type Line, readStored } from "./report.ts";
import { openStore, type SoakStore, type StoreName } from "./store.ts";
import { flowsFor, messagesFor, playScript, type SoakMessage } from "./workload.ts";

/** How much happens. */
export interface SoakSize extends Faults {
  messages: number;
  threads: number;
  /** Clients that post at the same time. */
  clients: number;
  minutes: number;
}

export interface SoakOptions {
  size: SoakSize;
  store: StoreName;
  /** The processes of the bot. */
  roles: readonly Role[];
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
  evidence: { seen: Seen; stored: Awaited<ReturnType<typeof readStored>>; logs: Record<string, string> };
}

/** How often `tell` is called, ms. */
const tellMs = 10_000;

const config = `spending:
  per_channel_day_tokens: 1000000000
  per_user_day_tokens: 1000000000
  per_channel_day_usd: 100000
  per_user_day_usd: 100000
`;

/** Clients work with a bot whose processes are killed, stopped and cut off again and again; then everything is counted. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const world = await openWorld(options.store, config + (options.config ?? ""));
  playScript(world.model);
  for (const [name, text] of Object.entries(flowsFor(world.effects.url)))
    await world.home.write(`.knack-workspace/flows/${name}.json`, text);
  try {
    return await run(options, world, await startFleet(world.home, world.store, options));
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
  /** Ends the processes, and removes their data. */
  close(): Promise<void>;
}

export async function openWorld(storeName: StoreName, config: string): Promise<World> {
  const [model, effects, store] = await Promise.all([
    startPlatformModel({ keeps: false }),
    startEffectServer(),
    openStore(storeName),
  ]);
  const env = {
    ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url },
    KNACK_NET_ALLOW: "127.0.0.1",
  };
  const home = await createBotHome({ env, config });
  return {
    model,
    effects,
    store,
    home,
    async close() {
      await home.remove();
      await Promise.all([model.stop(), effects.stop()]);
    },
  };
}

async function run(
  { size, pauseMs, tell = () => {}, meanwhile = async () => {} }: SoakOptions,
  { store, effects }: World,
  fleet: Fleet,
): Promise<SoakResult> {
  const began = performance.now();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(size.minutes * 60_000)]);
  const messages = messagesFor(size.messages, size.threads);
  const seen = emptySeen();
  const client = clientOf(fleet.addresses);
  await pinFlows(fleet, messages);
  const progress = () => seen.ended.size / messages.length;
  const telling = setInterval(() => tell(seen.ended.size), tellMs);
  try {
    const [, done] = await Promise.all([
      runClients(client, messages, seen, { clients: size.clients, signal }),
      killAgainAndAgain({ fleet, store, faults: size, pauseMs, progress, signal }),
      meanwhile(fleet),
    ]);
    const stored = await readStored(client, messages, seen);
    const lines: Line[] = [
      { name: "seconds", count: Math.round((performance.now() - began) / 1_000) },
      ...Object.entries(done)
        .filter(([kind]) => size[kind as keyof Faults] > 0)
        .map(([kind, count]) => ({ name: kind, count })),
      ...judge(messages, seen, stored, effects.counts),
      fallenOf(fleet),
    ];
    const logs = Object.fromEntries(fleet.members.map((member) => [member.name, member.log()]));
    return { lines, evidence: { seen, stored, logs } };
  } finally {
    clearInterval(telling);
    over.abort();
  }
}

function fallenOf({ members }: Fleet): Line {
  const wrong = members.filter((member) => member.hasFallen()).map(({ name }) => name);
  return { name: "processes that ended by themselves", count: wrong.length, wrong };
}

async function pinFlows(fleet: Fleet, messages: readonly SoakMessage[]): Promise<void> {
  const client = clientOf(fleet.addresses);
  for (const ns of new Set(messages.map(({ namespace }) => namespace)))
    for (const id of ["effect", "asked"]) await client.call("skill.set", { ns, id, state: "pinned" });
}

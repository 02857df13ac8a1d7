/**
 * `npm run soak`: a real bot is killed again and again while clients send it messages, retry them under their keys, and answer what it
 * asks. Its model and the server that counts its effects run here, on the loopback. Prints what was lost, doubled or given up, and
 * ends with exit code 1 unless all of it is 0.
 *
 * `--messages 2000 --threads 200 --kills 100 --clients 24 --minutes 60`, with these defaults. What is not done in time counts as lost.
 */
import { parseArgs } from "node:util";
import { createApiClient } from "../../src/client/api-client.ts";
import { createBotHome } from "../support/bot/bot-process.ts";
import { startPlatformModel } from "../support/bot/platform-model.ts";
import { emptySeen, runClients } from "./clients.ts";
import { startEffectServer } from "./effect-server.ts";
import { killAgainAndAgain } from "./killer.ts";
import { formatLines, judge, type Line, readStored } from "./report.ts";
import { flowsFor, messagesFor, playScript } from "./workload.ts";

interface SoakSize {
  messages: number;
  threads: number;
  kills: number;
  clients: number;
  minutes: number;
}

/** The most of each: a run has an end. */
const most: SoakSize = { messages: 100_000, threads: 10_000, kills: 10_000, clients: 200, minutes: 1_440 };

/** How often it says how far it is, ms. */
const reportMs = 10_000;

const config = `spending:
  per_channel_day_tokens: 1000000000
  per_user_day_tokens: 1000000000
  per_channel_day_usd: 100000
  per_user_day_usd: 100000
`;

async function soak(size: SoakSize): Promise<Line[]> {
  const [model, effects] = await Promise.all([startPlatformModel({ keeps: false }), startEffectServer()]);
  playScript(model);
  const env = {
    ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url },
    KNACK_NET_ALLOW: "127.0.0.1",
  };
  const home = await createBotHome({ env, config });
  try {
    for (const [name, text] of Object.entries(flowsFor(effects.url)))
      await home.write(`.knack-workspace/flows/${name}.json`, text);
    return await run(size, home, effects);
  } finally {
    await home.remove();
    await Promise.all([model.stop(), effects.stop()]);
  }
}

async function run(
  size: SoakSize,
  home: Awaited<ReturnType<typeof createBotHome>>,
  effects: Awaited<ReturnType<typeof startEffectServer>>,
): Promise<Line[]> {
  const began = performance.now();
  const signal = AbortSignal.timeout(size.minutes * 60_000);
  const messages = messagesFor(size.messages, size.threads);
  const seen = emptySeen();
  const first = await home.start();
  const reconnect = { first_ms: 50, max_ms: 500, silence_ms: 45_000 };
  const client = createApiClient({ fetch, baseUrl: first.url, reconnect });
  for (const namespace of new Set(messages.map((message) => message.namespace)))
    for (const flow of ["effect", "asked"])
      await client.call("skill.set", { ns: namespace, id: flow, state: "pinned" });
  const progress = () => seen.ends.size / messages.length;
  const report = setInterval(() => {
    console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${seen.ends.size} turns have ended`);
  }, reportMs);
  try {
    const port = Number(new URL(first.url).port);
    const killing = killAgainAndAgain(first, { home, port, kills: size.kills, progress, signal });
    const [, kills] = await Promise.all([
      runClients(client, messages, seen, { clients: size.clients, signal }),
      killing,
    ]);
    const lines = judge(messages, seen, await readStored(client, messages, seen), effects.counts);
    const seconds = Math.round((performance.now() - began) / 1_000);
    return [
      { name: "seconds", count: seconds, wrong: false },
      { name: "kills", count: kills, wrong: false },
      ...lines,
    ];
  } finally {
    clearInterval(report);
  }
}

function sizeFrom(argv: readonly string[]): SoakSize {
  const number = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: { messages: number, threads: number, kills: number, clients: number, minutes: number },
  });
  const size: SoakSize = { messages: 2_000, threads: 200, kills: 100, clients: 24, minutes: 60 };
  for (const name of Object.keys(size) as (keyof SoakSize)[]) {
    const given = Number(values[name] ?? size[name]);
    const least = name === "kills" ? 0 : 1;
    if (!Number.isInteger(given) || given < least || given > most[name])
      throw new Error(`--${name} must be a whole number from ${least} to ${most[name]}.`);
    size[name] = given;
  }
  return size;
}

const lines = await soak(sizeFrom(process.argv.slice(2)));
console.log(formatLines(lines));
process.exitCode = lines.some(({ wrong, count }) => wrong && count > 0) ? 1 : 0;

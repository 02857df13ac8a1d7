import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../src/client/api-client.ts";
import type { PlatformModel } from "../support/bot/platform-model.ts";
import { clientOf } from "./clients.ts";
import { type Member, startFleet } from "./fleet.ts";
import type { Line } from "./report.ts";
import { openWorld } from "./soak.ts";

/** How long the model takes for an answer, ms. */
const modelMs = 2_000;

/** Maximum turns of a worker at the same time. */
const slots = 8;

/** Turns that are timed, each in a channel of its own. */
const turns = 64;

/** Two workers have to be this many times as fast as one. */
const minSpeedUp = 1.6;

/** How often a worker is killed. */
const kills = 3;

/** Maximum time until the turn of a killed worker goes on elsewhere, ms. */
const maxTakeoverMs = 15_000;

/** What a second worker is good for: more turns at the same time, and those of one that was killed. */
export async function measure(): Promise<Line[]> {
  const world = await openWorld("postgres", `turns: { concurrent: ${slots} }\n`, {
    synced: true,
    chats: false,
  });
  try {
    const [gateway, one, other] = (
      await startFleet(world.home, world.store, { roles: ["gateway", "worker", "worker"] })
    ).members;
    if (gateway === undefined || one === undefined || other === undefined) throw new Error("No fleet");
    const client = clientOf([gateway.url]);
    // The first turns load what later ones find loaded.
    await measureTurns(client, world.model);
    const two = await measureTurns(client, world.model);
    await other.kill();
    const alone = await measureTurns(client, world.model);
    const speedUp = Math.round((100 * alone) / two) / 100;
    const takeovers = await measureTakeovers(client, world.model, one, other);
    const slowest = Math.max(...takeovers);
    return [
      { name: `ms for ${turns} turns, one worker`, count: alone },
      { name: `ms for ${turns} turns, two workers`, count: two },
      {
        name: `two workers against one, at least ${minSpeedUp}`,
        count: speedUp,
        wrong: speedUp < minSpeedUp ? ["too slow"] : [],
      },
      {
        name: `ms until another worker takes over, at most ${maxTakeoverMs}`,
        count: slowest,
        wrong: slowest > maxTakeoverMs ? takeovers.map(String) : [],
      },
    ];
  } finally {
    await world.close();
  }
}

/** How long it takes to answer messages that come all at once, ms. */
async function measureTurns(client: ApiClient, model: PlatformModel): Promise<number> {
  model.reset();
  model.when("", async function* () {
    await sleep(modelMs);
    yield "Done.";
  });
  const began = performance.now();
  const ask = async (_: unknown, at: number) => {
    const namespace = `console:local:channel-${at}`;
    const { turn_id } = await client.submitTurn({ namespace, text: "hello" });
    for await (const event of client.turnEvents(turn_id)) if (event.type === "turn_finished") return;
  };
  await Promise.all(Array.from({ length: turns }, ask));
  return Math.round(performance.now() - began);
}

/**
 * Kills the worker that runs a turn while the other one is idle, and waits until the model is asked again; several times.
 * @param one runs, and @param other does not
 */
async function measureTakeovers(
  client: ApiClient,
  model: PlatformModel,
  one: Member,
  other: Member,
): Promise<number[]> {
  const times: number[] = [];
  for (let [running, idle] = [one, other]; times.length < kills; [running, idle] = [idle, running]) {
    const first = Promise.withResolvers<void>();
    const again = Promise.withResolvers<void>();
    let requests = 0;
    model.reset();
    model.when("", async function* () {
      requests += 1;
      first.resolve();
      if (requests > 1) again.resolve();
      await again.promise;
      yield "Done.";
    });
    const { turn_id } = await client.submitTurn({ namespace: "console:local:takeover", text: "hello" });
    await first.promise;
    await idle.start();
    const killed = performance.now();
    await running.kill();
    await again.promise;
    times.push(Math.round(performance.now() - killed));
    for await (const event of client.turnEvents(turn_id)) if (event.type === "turn_finished") break;
  }
  return times;
}

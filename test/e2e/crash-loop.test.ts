import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiClient } from "../../src/client/api-client.ts";
import { type BotHome, createBotHome } from "../support/bot-process.ts";
import { type Gate, startGate } from "./support/gate.ts";
import { ended, expectWholeTurn, stored, until } from "./support/turns.ts";

/** What each turn has left when the bot dies, ms. */
const rest = 20_000;
/** The bot's own share of it, from `readyz` 200 to the end of the last turn, ms. */
const own = 3_000;

const eight = Array.from({ length: 8 }, (_, at) => `channel-${at}`);

let home: BotHome;
let model: Gate;
/** How long the model takes to answer, ms. */
let answerMs: number;
/** Called when the model is asked for this. */
let asked: (body: string) => void;

beforeEach(async () => {
  answerMs = rest;
  asked = () => {};
  model = await startGate(async ({ body }, response) => {
    asked(body);
    await sleep(body.includes("at-once-please") ? 0 : answerMs);
    if (response.destroyed) return;
    const message = { role: "assistant", content: "Done." };
    const choice = { index: 0, message, delta: message, finish_reason: "stop" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  const env = { KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: `${model.url}/v1` };
  home = await createBotHome({ env, config: "model: { small: off }" });
});
afterEach(async () => {
  await home.remove();
  await model[Symbol.asyncDispose]();
});

async function submit(client: ApiClient, name: string, text = "long"): Promise<string> {
  const namespace = `console:local:${name}`;
  return (await client.submitTurn({ namespace, thread: "t1", text })).turn_id;
}

/** What `readyz` says of the queue. */
async function queueOf(url: string): Promise<string> {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as {
    checks: { name: string; detail: string }[];
  };
  return checks.find(({ name }) => name === "queue")?.detail ?? "";
}

describe("after a first crash", () => {
  it("all turns that ran go on at once, and a new message does not wait for them", async () => {
    const first = await home.start();
    const turns = await Promise.all(eight.map((name) => submit(first.client, name)));
    await model.reached(eight.length);
    await first.kill();

    const { client, url } = await home.start();
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    const ready = performance.now();
    const ends = turns.map(async (turn) => {
      expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "Done." });
      return performance.now() - ready;
    });
    await model.reached(2 * eight.length);
    expect((await ended(client, await submit(client, "another", "at-once-please"))).outcome).toBe("completed");
    expect(performance.now() - ready).toBeLessThan(rest);
    const times = await Promise.all(ends);
    process.stderr.write(`${times.map(Math.round).join(" ")}\n`);
    expect(Math.max(...times)).toBeLessThan(rest + own);
    for (const turn of turns) expectWholeTurn(await stored(client, turn));
  });
});

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import { type BotHome, createBotHome } from "../../support/bot/bot-process.ts";
import { type Gate, startGate } from "../support/gate.ts";
import { ended, expectWholeTurn, stored } from "../support/turns.ts";

const deadly = "bring-it-down";
const names = Array.from({ length: 8 }, (_, at) => `channel-${at}`);

let home: BotHome;
let model: Gate;
/** How long the model takes to answer, ms. */
let answerMs: number;
/** Resolved when the model is asked for what brings the bot down. */
let dying = Promise.withResolvers<"dying">();

beforeEach(async () => {
  answerMs = 0;
  dying = Promise.withResolvers();
  model = await startGate(async ({ body }, response) => {
    if (lastMessage(body).includes(deadly)) return dying.resolve("dying");
    await sleep(answerMs);
    if (response.destroyed) return;
    const delta = { role: "assistant", content: "Done." };
    const chunk = { id: "c", choices: [{ index: 0, delta, finish_reason: "stop" }] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  const env = { KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: `${model.url}/v1` };
  home = await createBotHome({ env });
});
afterEach(async () => {
  await home.remove();
  await model[Symbol.asyncDispose]();
});

function lastMessage(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}

async function submit(client: ApiClient, name: string, text: string, user = "ada"): Promise<string> {
  const place = { namespace: `console:local:${name}`, thread: "t1" };
  return (await client.submitTurn({ ...place, text, user })).turn_id;
}

/** What `readyz` says of the queue of a bot that is ready. */
async function queueOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz`);
  expect(answer.status).toBe(200);
  const { checks } = (await answer.json()) as { checks: { name: string; detail: string }[] };
  return checks.find(({ name }) => name === "queue")?.detail ?? "";
}

it("a bot continues with eight turns that wait for their model at once after two crashes, and with commands next to them", async () => {
  model.close();
  const first = await home.start();
  const turns = await Promise.all(names.map((name) => submit(first.client, name, "long")));
  await model.reached(names.length);
  await first.kill();
  const second = await home.start();
  await model.reached(2 * names.length);
  await second.kill();

  const { client, url } = await home.start();
  expect(await queueOf(url)).toContain("8 running");
  await model.reached(3 * names.length);
  expect((await ended(client, await submit(client, "another", "/skill list"))).outcome).toBe("completed");
  model.open();
  for (const turn of turns) {
    expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "Done." });
    expectWholeTurn(await stored(client, turn));
  }
}, 60_000);

it("a bot ends seven turns, gives up the eighth, which brings it down whenever it runs, and answers what waits behind it [record-1]", async () => {
  answerMs = 300;
  const first = await home.start();
  const texts = names.map((_, at) => (at === 2 ? deadly : "long"));
  const turns = await Promise.all(names.map((name, at) => submit(first.client, name, texts[at] ?? "")));
  const next = await submit(first.client, names[2] ?? "", "and then?", "ben");
  await model.reached(names.length);
  const port = Number(new URL(first.url).port);
  let crashes = 0;
  const queues: string[] = [];
  let bot = first;
  for (;;) {
    const all = Promise.all(turns.map((turn) => ended(bot.client, turn)));
    all.catch(() => {});
    if ((await Promise.race([dying.promise, all])) !== "dying") break;
    crashes += 1;
    expect(crashes).toBeLessThan(10);
    dying = Promise.withResolvers();
    await bot.kill();
    bot = await home.start({ port });
    queues.push(await queueOf(bot.url));
  }
  const ends = await Promise.all(turns.map((turn) => ended(bot.client, turn)));
  for (const [at, end] of ends.entries()) {
    if (texts[at] === deadly)
      expect(end).toMatchObject({
        outcome: "failed",
        text: expect.stringMatching(/interrupted 5 times.*Try again/s),
      });
    else expect(end).toMatchObject({ outcome: "completed", text: "Done." });
    expectWholeTurn(await stored(bot.client, end.turn_id));
  }
  expect(queues.join("\n")).toContain("held back after repeated crashes");
  expect(await ended(bot.client, next)).toMatchObject({ outcome: "completed", text: "Done." });
}, 120_000);

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { type ConsoleBench, openConsoleBench } from "./bench.ts";

let bench: ConsoleBench;
beforeAll(async () => {
  bench = await openConsoleBench();
});
afterAll(() => bench.close());

/** Runs in the page: the time from the next key to the frame that shows it, ms. */
const nextKey = `new Promise((resolve) => {
  document.querySelector("#composer").oninput = () => {
    const begin = performance.now();
    const painted = new MessageChannel();
    painted.port1.onmessage = () => resolve(performance.now() - begin);
    requestAnimationFrame(() => painted.port2.postMessage(0));
  };
})`;

/** The median of 20 keys, ms. */
async function keyTime(page: Page): Promise<number> {
  const times: number[] = [];
  for (let keys = 1; keys <= 20; keys++) {
    const [time] = await Promise.all([page.evaluate<number>(nextKey), page.locator("#composer").press("a")]);
    times.push(time);
  }
  return times.sort((one, other) => one - other)[10] ?? Number.NaN;
}

test("a typed key appears in a long conversation about as soon as in an empty one", async () => {
  const { page, channel } = await bench.visit();
  const empty = await keyTime(page);
  const client = createApiClient({ fetch, baseUrl: bench.url });
  const place = { namespace: `console:local:${channel}`, thread: "long" };
  for (let number = 1; number <= 50; number++)
    await client.submitTurn({ ...place, text: `message ${number}` });
  await page.goto(`${bench.url}/#/${channel}/long`);
  // A message that comes while a turn runs may join it: the turns are 50 or a few less.
  const last = page.locator("article[data-status=finished]", { hasText: "message 50" });
  await last.waitFor({ timeout: 60_000 });
  expect(await page.locator("article").count()).toBeGreaterThan(25);
  // Every key drew the whole conversation once: then it took dozens of times as long.
  expect((await keyTime(page)) / empty).toBeLessThan(10);
}, 120_000);

import { expect, test } from "vitest";
import { missed } from "../../soak/missed.ts";

test("what is written while the bot is down, dies in fetching it, and cannot read is answered once and in order", {
  timeout: 180_000,
  retry: 0,
}, async () => {
  const { lines, evidence } = await missed({
    threads: 1,
    faultMs: 5_000,
    failsAll: false,
    kills: 1,
    limitMs: 90_000,
  });
  expect(evidence).toEqual([]);
  expect(lines.find(({ name }) => name === "messages")?.count).toBeGreaterThan(60);
});

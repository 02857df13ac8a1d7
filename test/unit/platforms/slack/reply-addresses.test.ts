import { expect, test } from "vitest";
import type { Clock } from "../../../../src/core/ports/storage.ts";
import { createReplyAddresses } from "../../../../src/platforms/slack/channel/reply-addresses.ts";

function clockAt(): { clock: Clock; pass(ms: number): void } {
  let now = 1_000_000;
  const clock: Clock = { now: () => now, after: () => () => {}, sleep: async () => {} };
  return {
    clock,
    pass: (ms) => {
      now += ms;
    },
  };
}

test("a reply address is valid for five posts", () => {
  const addresses = createReplyAddresses(clockAt().clock);
  addresses.remember("trigger", "https://hooks.slack.com/x");
  const taken = Array.from({ length: 6 }, () => addresses.take("trigger"));
  expect(taken.map((address) => address !== undefined)).toEqual([true, true, true, true, true, false]);
});

test("a reply address is valid for less than thirty minutes", () => {
  const { clock, pass } = clockAt();
  const addresses = createReplyAddresses(clock);
  addresses.remember("trigger", "https://hooks.slack.com/x", "1.2");
  pass(29 * 60_000);
  expect(addresses.take("trigger")).toEqual({ url: "https://hooks.slack.com/x", thread: "1.2" });
  pass(60_000);
  expect(addresses.take("trigger")).toBeUndefined();
});

test("a reply address does not exist where none was given", () => {
  const addresses = createReplyAddresses(clockAt().clock);
  addresses.remember("trigger", undefined);
  expect(addresses.take("trigger")).toBeUndefined();
  expect(addresses.take("other")).toBeUndefined();
});

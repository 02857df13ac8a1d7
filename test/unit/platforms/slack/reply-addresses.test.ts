import { expect, test } from "vitest";
import { ReplyAddresses } from "../../../../src/platforms/slack/channel/reply-addresses.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

/** Processes on one store. */
function setUp(sealed = createMemoryKeyValue()) {
  const clock = createFakeClock(1_000_000);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return { clock, start: () => new ReplyAddresses(sealed, clock, logger) };
}

test("a reply address is valid for five posts, of all processes that post to it at once", async () => {
  const { start } = setUp();
  await start().remember("trigger", "https://hooks.slack.com/x");
  const processes = [start(), start(), start()];
  const taken = await Promise.all(processes.flatMap((each) => [each.take("trigger"), each.take("trigger")]));
  expect(taken.filter((address) => address !== undefined)).toHaveLength(5);
  expect(await start().take("trigger")).toBeUndefined();
});

test("a reply address is valid for less than thirty minutes", async () => {
  const { clock, start } = setUp();
  const addresses = start();
  await addresses.remember("trigger", "https://hooks.slack.com/x", "1.2");
  clock.advance(29 * 60_000);
  expect(await addresses.take("trigger")).toEqual({ url: "https://hooks.slack.com/x", thread: "1.2" });
  clock.advance(60_000);
  expect(await addresses.take("trigger")).toBeUndefined();
});

test("a reply address does not exist where none was given, or where the store fails", async () => {
  const addresses = setUp().start();
  await addresses.remember("trigger", undefined);
  expect(await addresses.take("trigger")).toBeUndefined();
  expect(await addresses.take("other")).toBeUndefined();

  const failing = { ...createMemoryKeyValue(), update: () => Promise.reject(new Error("disk full")) };
  const without = setUp(failing).start();
  await without.remember("trigger", "https://hooks.slack.com/x");
  expect(await without.take("trigger")).toBeUndefined();
});

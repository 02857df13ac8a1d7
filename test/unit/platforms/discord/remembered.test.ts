import { describe, expect, test } from "vitest";
import { ReplyChains } from "../../../../src/platforms/discord/channel/reply-chains.ts";
import { contentDigest, SentMessages } from "../../../../src/platforms/discord/outgoing/sent-messages.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const hour = 3_600_000;

describe("conversations by replies", () => {
  test("conversations by replies are known after a restart, for a week, up to the latest 200 of a channel", async () => {
    const store = createMemoryKeyValue();
    const clock = createFakeClock(hour);
    await new ReplyChains(store, clock).note("c", "m0", "root");
    expect(await new ReplyChains(store, clock).threadOf("c", "m0")).toBe("root");
    expect(await new ReplyChains(store, clock).threadOf("other", "m0")).toBeUndefined();

    const chains = new ReplyChains(store, clock);
    clock.advance(8 * 24 * hour);
    for (let n = 1; n <= 201; n += 1) await chains.note("c", `m${n}`, "root");
    expect(await chains.threadOf("c", "m0")).toBeUndefined();
    expect((await chains.messagesOf("c", "root"))[0]).toBe("m2");
  });

  test("a refused thread is tried again after an hour", async () => {
    const clock = createFakeClock(10 * hour);
    const chains = new ReplyChains(createMemoryKeyValue(), clock);
    expect(await chains.isRefused("c")).toBe(false);
    await chains.refused("c");
    expect(await chains.isRefused("c")).toBe(true);
    clock.advance(hour);
    expect(await chains.isRefused("c")).toBe(false);
  });
});

describe("what was sent", () => {
  const tag = { turn_id: "t", purpose: "answer", part: 0 } as const;
  const channel = "1300000000000000000";

  test("a sent message is known by its tag, with its reference once Discord answered", async () => {
    const clock = createFakeClock(5);
    const sent = new SentMessages(createMemoryKeyValue(), clock);
    await sent.sending(tag, channel, "Hello");
    expect(await sent.find(tag, channel)).toMatchObject({ at: 5, digest: contentDigest(" Hello\n") });
    expect(await sent.find({ ...tag, part: 1 }, channel)).toBeUndefined();
    await sent.sent(tag, channel, "r");
    expect((await sent.find(tag, channel))?.reference).toBe("r");
  });

  test("a sent message has the same nonce until it is posted, and another one when it is posted again", async () => {
    const sent = new SentMessages(createMemoryKeyValue(), createFakeClock(5));
    const first = await sent.sending(tag, channel, "Hello");
    expect(first.length).toBeLessThanOrEqual(25);
    expect(await sent.sending(tag, channel, "Hello")).toBe(first);
    expect(await sent.sending({ ...tag, part: 1 }, channel, "Hello")).not.toBe(first);
    await sent.sent(tag, channel, "r");
    expect(await sent.sending(tag, channel, "Hello")).not.toBe(first);
  });

  test("a sent message is forgotten when much was sent since", async () => {
    const sent = new SentMessages(createMemoryKeyValue(), createFakeClock(5));
    await sent.sending(tag, channel, "Hello");
    for (let part = 1; part <= 64; part += 1) await sent.sending({ ...tag, part }, channel, "x");
    expect(await sent.find(tag, channel)).toBeUndefined();
    expect(await sent.find({ ...tag, part: 64 }, channel)).toBeDefined();
  });
});

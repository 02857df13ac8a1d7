import { describe, expect, it } from "vitest";
import { type Model, ModelError, type ModelEvent } from "../../../src/core/ports/model.ts";
import { createRetryingModel, defaultRetryPolicy } from "../../../src/models/around/retrying-model.ts";
import { isLocalHost, withWaitNotice } from "../../../src/models/around/slow-model.ts";
import { collect, requestOf } from "./collect.ts";

const done: ModelEvent = {
  type: "finished",
  message: { role: "assistant", text: "ok", tool_calls: [] },
  usage: { input_tokens: 1, output_tokens: 1 },
  model: "a",
};

/** A model that answers when it is told to, and a clock whose time passes when it is told to. */
function slow() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const late: { ms: number; ring: () => void; cancelled: boolean }[] = [];
  const model: Model = {
    id: "a",
    generative: true,
    async *stream() {
      asked.resolve();
      await answer.promise;
      yield done;
    },
  };
  const clock = {
    after(ms: number, ring: () => void) {
      const timer = { ms, ring, cancelled: false };
      late.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
  return { model, clock, asked: asked.promise, answer, late };
}

describe("a model without a sign", () => {
  it("a model without a sign is reported after ten seconds", async () => {
    const { model, clock, asked, answer, late } = slow();
    const all = collect(withWaitNotice(model, true, clock), requestOf("hello"));
    await asked;
    expect(late.map(({ ms }) => ms)).toEqual([10_000]);
    late[0]?.ring();
    answer.resolve();
    expect((await all).events).toEqual([
      { type: "delayed", text: "Waiting for the model. A local model may still be loading." },
      done,
    ]);
  });

  it("a model that is silent for 45 seconds is reported once, at the start and in the middle of an answer", async () => {
    const { clock, late } = slow();
    const events = [Promise.withResolvers<ModelEvent>(), Promise.withResolvers<ModelEvent>()];
    const model: Model = {
      id: "a",
      generative: true,
      async *stream() {
        for (const { promise } of events) yield await promise;
      },
    };
    const reader = withWaitNotice(model, false, clock).stream(requestOf("hello"))[Symbol.asyncIterator]();
    const next = async (ms: number | undefined, then: () => void) => {
      const coming = reader.next();
      expect(late.findLast(({ cancelled }) => !cancelled)?.ms).toBe(ms);
      then();
      return (await coming).value;
    };
    const ring = () => {
      const timer = late.pop();
      timer?.ring();
    };
    const silent = { type: "delayed", text: "The model has not answered for 45 s." };
    expect(await next(10_000, ring)).toMatchObject({ text: "Waiting for the model." });
    expect(await next(35_000, ring)).toEqual(silent);
    const said = { type: "text", text: "I begin to" } as const;
    events[0]?.resolve(said);
    await new Promise(setImmediate);
    expect(await next(undefined, () => undefined)).toEqual(said);
    expect(await next(45_000, ring)).toEqual(silent);
    expect(await next(undefined, () => events[1]?.resolve(done))).toEqual(done);
  });

  it("a model that answers in time is not reported", async () => {
    const { model, clock, answer, late } = slow();
    answer.resolve();
    const { events } = await collect(withWaitNotice(model, false, clock), requestOf("hello"));
    expect(events).toEqual([done]);
    expect(late[0]?.cancelled).toBe(true);
  });

  it.each([
    ["127.0.0.1", true],
    ["ollama", true],
    ["[::1]", true],
    ["192.168.1.7", true],
    ["api.openai.com", false],
    ["10gen.example", false],
  ])("a model may be loading at %s: %s", (host, isLocal) => expect(isLocalHost(host)).toBe(isLocal));
});

it("a wait before the next attempt is reported in plain words, with its end", async () => {
  let asked = 0;
  const model: Model = {
    id: "a",
    generative: true,
    async *stream() {
      asked += 1;
      if (asked === 1)
        throw new ModelError("rate_limited", "a: api.example said 429.", { retryAfterMs: 12_000 });
      yield done;
    },
  };
  const clock = { now: () => 1_000, sleep: async () => {} };
  const { events } = await collect(createRetryingModel(model, defaultRetryPolicy, clock), requestOf("x"));
  expect(events).toEqual([
    { type: "delayed", text: "The model limits how often it is asked.", until: 13_000 },
    done,
  ]);
});

import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { type OutsideCall, type OutsideStep, ParkedCalls } from "../../../../src/core/turn/parked-calls.ts";
import { WaitingForPerson } from "../../../../src/core/values/failure.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const minutes = 60_000;

function contextOf(answers: Partial<ToolContext>, signal = new AbortController().signal): ToolContext {
  return { turn_id: "t", call_id: "c", signal, ...answers } as ToolContext;
}

/** Asks one question, then ends with its answer. */
function askingCall() {
  const log: string[] = [];
  let answer: string | undefined;
  const call: OutsideCall = {
    async next(): Promise<OutsideStep> {
      if (answer !== undefined) return { done: { status: "ok", output: answer } };
      return {
        async serve(context) {
          answer = await context.ask({ text: "Which?" });
        },
      };
    },
    cancel: () => void log.push("cancelled"),
  };
  return { call, log };
}

const nobodyYet = contextOf({
  ask: async () => {
    throw new WaitingForPerson();
  },
});

describe("a call that asks a person", () => {
  it("a call that asks a person continues where it was when the tool is run again", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    const { call, log } = askingCall();
    let started = 0;
    const start = () => {
      started += 1;
      return call;
    };
    await expect(calls.run(nobodyYet, start)).rejects.toThrow(WaitingForPerson);
    const result = await calls.run(contextOf({ ask: async () => "this one" }), start);
    expect({ result, started, log }).toEqual({
      result: { status: "ok", output: "this one" },
      started: 1,
      log: [],
    });
  });

  it("a call that asks a person has no context while it waits, and the new one afterwards", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    const { call } = askingCall();
    let current: () => ToolContext | undefined = () => undefined;
    const start = (given: typeof current) => {
      current = given;
      return call;
    };
    await expect(calls.run(nobodyYet, start)).rejects.toThrow(WaitingForPerson);
    expect(current()).toBeUndefined();
    const second = contextOf({ ask: async () => "yes" });
    await calls.run(second, start);
    expect(current()).toBe(second);
  });

  it("a call that asks a person is given up when nobody comes back for it", async () => {
    const clock = createFakeClock();
    const calls = new ParkedCalls(clock, 15 * minutes);
    const { call, log } = askingCall();
    await expect(calls.run(nobodyYet, () => call)).rejects.toThrow(WaitingForPerson);
    await clock.advance(15 * minutes);
    expect(log).toEqual(["cancelled"]);
  });

  it("a call that asks a person is given up when the bot closes", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    const { call, log } = askingCall();
    await expect(calls.run(nobodyYet, () => call)).rejects.toThrow(WaitingForPerson);
    calls.close();
    expect(log).toEqual(["cancelled"]);
  });
});

describe("a call whose turn is stopped", () => {
  it("a call whose turn is stopped is cancelled at once", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    const stop = new AbortController();
    const ended = Promise.withResolvers<OutsideStep>();
    const call: OutsideCall = {
      next: () => ended.promise,
      cancel: () => ended.reject(new Error("cancelled")),
    };
    const running = calls.run(contextOf({}, stop.signal), () => call);
    stop.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("cancelled");
  });
});

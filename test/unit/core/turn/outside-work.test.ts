import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { createOutsideWork, ParkedCalls } from "../../../../src/core/turn/parked-calls.ts";
import { WaitingForPerson } from "../../../../src/core/values/failure.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const minutes = 60_000;

function contextOf(ask: ToolContext["ask"], signal = new AbortController().signal): ToolContext {
  return { turn_id: "t", call_id: "c", signal, ask } as ToolContext;
}

const nobodyYet = contextOf(async () => {
  throw new WaitingForPerson();
});

describe("work outside of the turn", () => {
  it("outside work continues after its question once the turn is back, without beginning again", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    let begun = 0;
    const start = () =>
      createOutsideWork(async (serve) => {
        begun += 1;
        const answers = [];
        for (const text of ["one?", "two?"])
          answers.push(await serve((context) => context.ask({ text, key: text })));
        return { status: "ok", output: answers };
      });
    await expect(calls.run(nobodyYet, start)).rejects.toThrow(WaitingForPerson);
    const asked: string[] = [];
    const answering = contextOf(async ({ text }) => {
      asked.push(text);
      return `yes to ${text}`;
    });
    const result = await calls.run(answering, start);
    expect({ result, begun, asked }).toEqual({
      result: { status: "ok", output: ["yes to one?", "yes to two?"] },
      begun: 1,
      asked: ["one?", "two?"],
    });
  });

  it("outside work learns that its request failed, and continues", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    const failing = contextOf(async () => {
      throw new Error("nobody answered");
    });
    const result = await calls.run(failing, () =>
      createOutsideWork(async (serve) => {
        const answer = await serve((context) => context.ask({ text: "?" })).catch(String);
        return { status: "ok", output: answer };
      }),
    );
    expect(result).toEqual({ status: "ok", output: "Error: nobody answered" });
  });

  it("outside work is told when it is given up while it waits", async () => {
    const clock = createFakeClock();
    const calls = new ParkedCalls(clock, 15 * minutes);
    const stopped = Promise.withResolvers<unknown>();
    const start = () =>
      createOutsideWork(async (serve, signal) => {
        await serve((context) => context.ask({ text: "?" })).catch(stopped.resolve);
        return { status: "ok", output: signal.aborted };
      });
    await expect(calls.run(nobodyYet, start)).rejects.toThrow(WaitingForPerson);
    calls.close();
    expect(await stopped.promise).toMatchObject({ code: "stopped" });
  });

  it("outside work fails the call with its own failure", async () => {
    const calls = new ParkedCalls(createFakeClock(), 15 * minutes);
    const start = () => createOutsideWork(() => Promise.reject(new Error("no process")));
    await expect(calls.run(nobodyYet, start)).rejects.toThrow("no process");
  });
});

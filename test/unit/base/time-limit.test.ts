import { describe, expect, it } from "vitest";
import { unlessAborted, unlessLate, withTimeLimit } from "../../../src/base/time-limit.ts";

/** A timer that fires when it is told to, and says whether it still would. */
function handTimer() {
  let fire: (() => void) | undefined;
  return {
    after(_ms: number, callback: () => void) {
      fire = callback;
      return () => {
        fire = undefined;
      };
    },
    fire: () => fire?.(),
    isSet: () => fire !== undefined,
  };
}

class Late extends Error {}
const forever = () => new Promise<never>(() => undefined);
const limitOf = (timer: ReturnType<typeof handTimer>, signal?: AbortSignal) => ({
  ms: 1_000,
  timer,
  signal,
  late: () => new Late("too late"),
});

describe("work with a time limit", () => {
  it("work with a time limit answers what the work answers in time", async () => {
    const timer = handTimer();
    expect(await withTimeLimit(limitOf(timer), async () => "done")).toBe("done");
    expect(timer.isSet()).toBe(false);
  });

  it("work with a time limit rejects as the work does", async () => {
    const timer = handTimer();
    const broken = () => Promise.reject(new Error("broken"));
    await expect(withTimeLimit(limitOf(timer), broken)).rejects.toThrow("broken");
    expect(timer.isSet()).toBe(false);
  });

  it("work with a time limit is aborted and rejects when the time is up, whether it listens or not", async () => {
    const timer = handTimer();
    let given: AbortSignal | undefined;
    const work = withTimeLimit(limitOf(timer), (signal) => {
      given = signal;
      return forever();
    });
    timer.fire();
    await expect(work).rejects.toBeInstanceOf(Late);
    expect(given?.reason).toBeInstanceOf(Late);
  });

  it("work with a time limit rejects with the limit's error even if the work throws its own when aborted", async () => {
    const timer = handTimer();
    const work = withTimeLimit(limitOf(timer), (signal) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(new Error("its own")));
      return promise;
    });
    timer.fire();
    await expect(work).rejects.toBeInstanceOf(Late);
  });

  it("work with a time limit ends with the given signal", async () => {
    const timer = handTimer();
    const stopping = new AbortController();
    let given: AbortSignal | undefined;
    const work = withTimeLimit(limitOf(timer, stopping.signal), (signal) => {
      given = signal;
      return forever();
    });
    stopping.abort(new Error("stopped"));
    await expect(work).rejects.toThrow("stopped");
    expect(given?.aborted).toBe(true);
    expect(timer.isSet()).toBe(false);
  });

  it("work with a time limit is not started when the given signal is already aborted", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    const work = withTimeLimit(limitOf(handTimer(), signal), async () => expect.unreachable());
    await expect(work).rejects.toThrow("stopped");
  });
});

describe("work that is awaited for a time", () => {
  it("work awaited for a time answers its value, or undefined when that comes late", async () => {
    const timer = handTimer();
    expect(await unlessLate(1_000, timer, Promise.resolve("done"))).toBe("done");
    expect(timer.isSet()).toBe(false);
    const late = unlessLate(1_000, timer, forever());
    timer.fire();
    expect(await late).toBeUndefined();
  });

  it("work awaited for a time rejects while it is awaited, and may fail afterwards", async () => {
    const timer = handTimer();
    await expect(unlessLate(1_000, timer, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    const slow = Promise.withResolvers<string>();
    const late = unlessLate(1_000, timer, slow.promise);
    timer.fire();
    expect(await late).toBeUndefined();
    slow.reject(new Error("nobody waits for this"));
  });
});

describe("work that a signal gives up", () => {
  const stopped = () => AbortSignal.abort(new Error("stopped"));

  it("work with an abort signal settles as the work does", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(signal, async () => "done")).toBe("done");
    await expect(unlessAborted(signal, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  it("work with an abort signal rejects as soon as the signal is aborted", async () => {
    const stopping = new AbortController();
    const work = unlessAborted(stopping.signal, forever);
    stopping.abort(new Error("stopped"));
    await expect(work).rejects.toThrow("stopped");
    await expect(unlessAborted(stopped(), forever)).rejects.toThrow("stopped");
  });

  it("work with an abort signal leaves no rejection behind when the work throws before returning a promise", async () => {
    const work = unlessAborted(stopped(), () => {
      throw new Error("broken");
    });
    await expect(work).rejects.toThrow("broken");
  });
});

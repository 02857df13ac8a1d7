import { describe, expect, it } from "vitest";
import { Dispatcher } from "../../../../src/app/turns/dispatcher.ts";
import { Feed } from "../../../../src/app/turns/feed.ts";
import type { Emit, TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import {
  type ClaimedTurn,
  LeaseLostError,
  type TurnCalls,
  type TurnLog,
} from "../../../../src/core/log/turn-log.ts";
import type { Inbound } from "../../../../src/core/values/inbound.ts";
import { createRedactor } from "../../../../src/core/values/redact.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const leaseMs = 30_000;
const started: TurnEventBody = { type: "turn_started", profile: "chat", model: "m" };
const finished: TurnEventBody = { type: "turn_finished", outcome: "completed", text: "done" };

/** A turn that runs, until the test lets it write its end or fail. */
interface Run {
  claimed: ClaimedTurn;
  signal: AbortSignal;
  isHeld(): boolean;
  end(): void;
  write(event: TurnEventBody): void;
  fail(error: Error): void;
}

/** A dispatcher over a log in memory, whose runs and clock are the test's. `own` replaces methods of the log. */
function createWorld({
  own = () => ({}),
  concurrent = 2,
  commands = 2,
  maxMs = 600_000,
  calls,
}: WorldOptions = {}) {
  const clock = createFakeClock();
  const [real, feed] = [createMemoryTurnLog(clock), new Feed()];
  const log: TurnLog = Object.assign(Object.create(real), own(real));
  const logged: string[] = [];
  const runs = new Map<string, Run>();
  /** Each line has to say why. */
  const note = (fields: unknown, message?: string) =>
    void logged.push((fields as { err?: unknown }).err === undefined ? "no reason" : String(message));
  const dispatcher = new Dispatcher({
    log,
    clock,
    redact: createRedactor([]),
    owner: "me",
    lease_ms: leaseMs,
    logger: { debug: note, info: note, warn: note, error: note },
    concurrent,
    concurrent_commands: commands,
    ...(calls === undefined ? {} : { shared: { calls } }),
  });
  const runner = {
    deadlineOf: () => clock.now() + maxMs,
    observers: (claimed: ClaimedTurn) => [feed.follow(claimed, real)],
    async run(claimed: ClaimedTurn, emit: Emit, signal: AbortSignal, isHeld: () => boolean): Promise<void> {
      let next = Promise.withResolvers<TurnEventBody>();
      const write = (event: TurnEventBody) => next.resolve(event);
      const fail = (error: Error) => next.reject(error);
      runs.set(claimed.turn_id, { claimed, signal, isHeld, write, fail, end: () => write(finished) });
      const stop = () => {
        next.promise.catch(() => {});
        next.reject(signal.reason);
      };
      if (claimed.turn_id !== "deaf") signal.addEventListener("abort", stop);
      await emit(started);
      for (;;) {
        const event = await next.promise;
        next = Promise.withResolvers();
        await emit(event);
        if (event.type === "turn_finished" || event.type === "turn_waiting") return;
      }
    },
  };
  /** Lets everything happen that needs no time to pass. */
  const calm = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const accept = async (id: string, channel = id, more: Partial<Inbound> = {}) => {
    const author = { id: "ada", name: "Ada", trust: "member" } as const;
    const place = { namespace: `console:local:${channel}`, thread: id };
    await real.accept({ key: id, ...place, author, kind: "message", text: "hi", ...more }, id, clock.now());
  };
  return {
    clock,
    feed,
    log: real,
    logged,
    dispatcher,
    runs,
    calm,
    accept,
    begin: () => {
      dispatcher.serve(runner);
      dispatcher.start();
      return calm();
    },
    wake: () => {
      dispatcher.wake();
      return calm();
    },
    pass: (ms: number) => {
      clock.advance(ms);
      return calm();
    },
    running: () =>
      [...runs.values()].filter(({ signal }) => !signal.aborted).map(({ claimed }) => claimed.turn_id),
    run: (id: string) => runs.get(id) ?? expect.fail(`${id} does not run`),
    types: async (id: string) => (await real.read(id)).map(({ type }) => type),
    status: async (id: string) => (await real.get(id))?.status,
  };
}

interface WorldOptions {
  own?: (real: TurnLog) => Partial<TurnLog>;
  concurrent?: number;
  commands?: number;
  maxMs?: number;
  /** What other processes on the log tell. */
  calls?: TurnCalls;
}

/** Processes that tell something when the test says so. */
function otherProcesses() {
  const heard = { work: () => {}, signal: (_turnId: string | undefined) => {} };
  const end = async () => {};
  const calls: TurnCalls = {
    async onWork(work) {
      heard.work = work;
      return end;
    },
    async onSignal(signal) {
      heard.signal = signal;
      return end;
    },
    onEvents: async () => end,
  };
  return { calls, heard };
}

/** A method that fails so often before it works. */
function failing<Args extends unknown[], Result>(times: number, work: (...args: Args) => Promise<Result>) {
  const calls: number[] = [];
  const method = (...args: Args) =>
    calls.push(0) <= times ? Promise.reject(new Error("The disk is full")) : work(...args);
  return { method, calls };
}

describe("the slots of the dispatcher", () => {
  it.each([
    [1, 1],
    [3, 3],
    [4, 3],
    [8, 6],
  ])("a dispatcher with %i slots for messages gives one channel at most %i", async (concurrent, most) => {
    const world = createWorld({ concurrent });
    for (let at = 0; at < 10; at += 1) await world.accept(`t${at}`, "loud");
    await world.begin();
    expect(world.running()).toHaveLength(most);
    expect(world.dispatcher.running()).toBe(most);
    await world.accept("quiet");
    await world.wake();
    expect(world.running().includes("quiet")).toBe(most < concurrent);
  });

  it("slots are separate for messages, commands and stopping commands, and are refilled at once", async () => {
    const world = createWorld({ concurrent: 2, commands: 4 });
    const kinds = {
      message: {},
      command: { kind: "command" },
      urgent: { kind: "command", urgent: true },
    } as const;
    for (const [name, more] of Object.entries(kinds))
      for (let at = 0; at < 6; at += 1) await world.accept(`${name}${at}`, `${name}${at}`, more);
    for (let at = 0; at < 6; at += 1) await world.accept(`one${at}`, "one", kinds.command);
    await world.begin();
    const count = (name: string) => world.running().filter((id) => id.startsWith(name)).length;
    expect([count("message"), count("command"), count("urgent")]).toEqual([2, 4, 4]);
    world.run("command0").end();
    await world.calm();
    expect(await world.status("command0")).toBe("finished");
    expect(world.dispatcher.running()).toBe(10);
  });

  it("one channel gets at most three of four slots for commands", async () => {
    const world = createWorld({ commands: 4 });
    for (let at = 0; at < 6; at += 1) await world.accept(`one${at}`, "one", { kind: "command" });
    await world.begin();
    expect(world.running()).toHaveLength(3);
  });

  it("slots stay empty until somebody runs turns", async () => {
    const world = createWorld();
    await world.accept("a");
    await world.wake();
    world.dispatcher.start();
    await world.calm();
    expect(await world.status("a")).toBe("queued");
    await world.begin();
    expect(world.running()).toEqual(["a"]);
  });
});

describe("a turn that the dispatcher runs", () => {
  it("a turn is aborted by its id while it runs here", async () => {
    const world = createWorld();
    await world.accept("a");
    expect(world.dispatcher.abort("a")).toBe(false);
    await world.begin();
    expect(world.dispatcher.abort("a")).toBe(true);
    expect(world.run("a").signal.reason).toMatchObject({ code: "stop_requested", message: "Stopped" });
    await world.calm();
    expect(world.dispatcher.running()).toBe(0);
  });

  it("a turn that somebody stopped before it began is aborted from its start", async () => {
    const world = createWorld();
    for (const id of ["a", "b"]) await world.accept(id);
    await world.log.signal("a", { type: "stop", by: "ada" }, 0);
    await world.log.signal("b", { type: "answer", question_id: "q", text: "yes", by: "ada" }, 0);
    await world.begin();
    expect(world.run("a").signal.reason).toMatchObject({ code: "stop_requested" });
    expect(world.run("b").signal.aborted).toBe(false);
  });

  it("a turn is aborted at its deadline, but not once it has ended", async () => {
    const world = createWorld({ maxMs: 5_000 });
    for (const id of ["slow", "quick"]) await world.accept(id);
    await world.begin();
    await world.pass(4_999);
    expect(world.running()).toEqual(["slow", "quick"]);
    world.run("quick").end();
    await world.calm();
    await world.pass(1);
    expect(world.run("slow").signal.reason).toMatchObject({ message: "The turn reached its time limit" });
    expect(world.run("quick").signal.aborted).toBe(false);
  });

  it("a failed turn is reported to watchers, kept, and run again when its lease would end", async () => {
    const world = createWorld();
    await world.accept("a");
    await world.begin();
    const watched = await world.feed.watch("console:local:a", AbortSignal.timeout(5_000));
    const told = watched.next();
    world.run("a").fail(new Error("model is on fire"));
    expect((await told).value).toMatchObject({
      event: { type: "error", code: "interrupted", message: expect.stringContaining("model is on fire") },
    });
    await world.calm();
    expect(world.logged).toEqual(["A turn was interrupted; it will be retried"]);
    expect(world.dispatcher.running()).toBe(0);
    world.runs.clear();
    await world.pass(leaseMs - 1);
    expect(world.running()).toEqual([]);
    await world.pass(1);
    expect(world.run("a").claimed.crashes).toBe(1);
  });

  it("a turn is not blamed when the log failed", async () => {
    const { method } = failing(1, (..._: Parameters<TurnLog["append"]>) => Promise.resolve());
    const world = createWorld({
      own: (real) => ({
        append: (...call) => (call[2][0]?.type === "turn_finished" ? method(...call) : real.append(...call)),
      }),
    });
    await world.accept("a");
    await world.begin();
    await world.pass(20);
    world.run("a").end();
    await world.calm();
    world.runs.clear();
    await world.pass(leaseMs);
    expect(world.run("a").claimed.crashes).toBe(0);
  });

  it("a turn is left silently when another worker has it", async () => {
    const world = createWorld();
    await world.accept("a");
    await world.begin();
    world.run("a").fail(new LeaseLostError("a"));
    await world.calm();
    expect([world.logged, world.dispatcher.running()]).toEqual([[], 0]);
  });

  it("a waiting turn runs again at its time by itself", async () => {
    const world = createWorld();
    await world.accept("a");
    await world.begin();
    world.run("a").write({ type: "turn_waiting", until: world.clock.now() + 1_000 });
    await world.calm();
    world.runs.clear();
    await world.pass(999);
    expect(world.running()).toEqual([]);
    await world.pass(50);
    expect(world.running()).toEqual(["a"]);
  });
});

describe("leases of running turns", () => {
  it("leases are renewed for as long as a turn runs", async () => {
    let renewed = 0;
    const world = createWorld({
      own: (real) => ({ renew: (...call) => real.renew(...call).finally(() => (renewed += 1)) }),
    });
    for (const id of ["a", "a2"]) await world.accept(id);
    await world.begin();
    for (let at = 0; at < 8; at += 1) await world.pass(leaseMs / 3);
    expect([renewed, world.running()]).toEqual([8, ["a", "a2"]]);
    for (const id of ["a", "a2"]) world.run(id).end();
    await world.calm();
    for (let at = 0; at < 4; at += 1) await world.pass(leaseMs / 3);
    expect(renewed).toBe(8);
    await world.accept("b");
    await world.wake();
    for (let at = 0; at < 4; at += 1) await world.pass(leaseMs / 3);
    expect([renewed, world.running()]).toEqual([12, ["a", "a2", "b"]]);
  });

  it("a lost lease ends its turn, which writes nothing more", async () => {
    const world = createWorld({ own: () => ({ renew: async () => ["a"] }) });
    for (const id of ["a", "b"]) await world.accept(id);
    await world.begin();
    await world.pass(20);
    await world.pass(leaseMs / 3);
    expect(world.run("a").signal.reason).toBeInstanceOf(LeaseLostError);
    expect(world.run("b").signal.aborted).toBe(false);
    expect([world.logged, await world.types("a")]).toEqual([[], ["inbound", "turn_started"]]);
  });

  it("a process that stood still knows that others may have its turns before its timers tell", async () => {
    const world = createWorld({ calls: otherProcesses().calls });
    await world.accept("a");
    await world.begin();
    const { isHeld, signal } = world.run("a");
    const said: [boolean, boolean][] = [];
    const tell = () => void said.push([isHeld(), signal.aborted]);
    tell();
    // A timer that is due earlier comes first when the process goes on.
    world.clock.after(1_000, () => {
      world.clock.jump(leaseMs);
      tell();
    });
    await world.pass(1_000);
    expect(said).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it("a lost lease ends the writing of a turn that does not notice it", async () => {
    const world = createWorld({ own: () => ({ renew: async () => ["deaf"] }) });
    await world.accept("deaf");
    await world.begin();
    await world.pass(leaseMs / 3);
    world.run("deaf").end();
    await world.calm();
    expect([await world.types("deaf"), world.dispatcher.running()]).toEqual([["inbound", "turn_started"], 0]);
  });

  it("a turn that another process stopped is aborted when leases are renewed", async () => {
    const world = createWorld();
    for (const id of ["a", "b"]) await world.accept(id);
    await world.begin();
    await world.log.signal("a", { type: "stop", by: "ada" }, world.clock.now());
    expect(world.running()).toEqual(["a", "b"]);
    await world.pass(leaseMs / 3);
    expect(world.running()).toEqual(["b"]);
    expect(world.run("a").signal.reason).toMatchObject({ code: "stop_requested" });
  });

  it("leases that cannot be released expire, which is logged where the turn is still ours", async () => {
    for (const [error, said] of [
      [
        new Error("The disk is full"),
        [
          "A turn was interrupted; it will be retried",
          "A turn could not be released; it resumes when its lease expires",
        ],
      ],
      [new LeaseLostError("a"), ["A turn was interrupted; it will be retried"]],
    ] as const) {
      const world = createWorld({ own: () => ({ release: () => Promise.reject(error) }) });
      await world.accept("a");
      await world.begin();
      world.run("a").fail(new Error("model is on fire"));
      await world.calm();
      expect([world.logged, world.dispatcher.running()]).toEqual([said, 0]);
    }
  });

  it("leases that could not be renewed are tried again", async () => {
    const world = createWorld({
      own: (real) => ({
        renew: failing(1, (...call: Parameters<TurnLog["renew"]>) => real.renew(...call)).method,
      }),
    });
    await world.accept("a");
    await world.begin();
    for (let at = 0; at < 6; at += 1) await world.pass(leaseMs / 3);
    expect(world.logged).toEqual(["Leases could not be renewed"]);
    expect(world.running()).toEqual(["a"]);
  });
});

describe("a log that fails", () => {
  it("a failed log is read again five seconds later", async () => {
    const world = createWorld({
      own: (real) => ({
        claim: failing(1, (...call: Parameters<TurnLog["claim"]>) => real.claim(...call)).method,
      }),
    });
    await world.accept("a");
    await world.begin();
    expect(world.logged).toEqual(["The turn log cannot be read; trying again in a moment"]);
    await world.pass(4_999);
    expect(world.running()).toEqual([]);
    await world.pass(1);
    expect(world.running()).toEqual(["a"]);
  });

  it("the log is told a minute after the start that the bot has settled, and again five seconds after it refused", async () => {
    const settle = failing(1, async () => {});
    const world = createWorld({ own: () => ({ settle: settle.method }) });
    await world.begin();
    await world.pass(59_999);
    expect(settle.calls).toHaveLength(0);
    await world.pass(1);
    expect(settle.calls).toHaveLength(1);
    expect(world.logged).toEqual(["The turn log cannot be written; trying again in a moment"]);
    await world.pass(4_999);
    expect(settle.calls).toHaveLength(1);
    await world.pass(1);
    expect(settle.calls).toHaveLength(2);
    await world.pass(60_000);
    expect(settle.calls).toHaveLength(2);
  });
});

describe("turns that a bot crashed with", () => {
  /** A log after three crashes in a row in which these turns ran. */
  const afterCrashes = async (own: WorldOptions["own"] = () => ({})) => {
    const world = createWorld({ own });
    for (const id of ["a", "b"]) await world.accept(id);
    for (const round of [1, 2, 3]) {
      for (const id of ["a", "b"]) await world.log.claim(`${id}${round}`, leaseMs);
      await world.log.reclaim();
    }
    await world.begin();
    return world;
  };

  it("turns that a bot crashed with run one by one, until the first has run for its time", async () => {
    const world = await afterCrashes();
    const trial = world.run("a").claimed.trial_ms ?? 0;
    await world.pass(trial - 1);
    expect(world.running()).toEqual(["a"]);
    await world.pass(1);
    expect(world.running()).toEqual(["a", "b"]);
  });

  it("turns that a bot crashed with are cleared once, and not after their end", async () => {
    const clear = failing(1, async () => {});
    const world = await afterCrashes(() => ({ clear: clear.method }));
    const trial = world.run("a").claimed.trial_ms ?? 0;
    await world.pass(trial);
    expect(world.logged).toEqual(["The turn log cannot be written; trying again in a moment"]);
    world.run("a").end();
    await world.calm();
    await world.pass(5_000);
    expect(clear.calls).toHaveLength(1);
    expect(world.running()).toEqual(["a", "b"]);
  });
});

describe("a stop of the dispatcher", () => {
  it("a dispatcher stops as soon as the running turns have ended, and takes no more", async () => {
    const world = createWorld({ concurrent: 1 });
    for (const id of ["a", "b"]) await world.accept(id);
    await world.begin();
    let stopped = false;
    const stop = world.dispatcher.stop(60_000).then(() => {
      stopped = true;
    });
    await world.calm();
    expect([stopped, world.run("a").signal.aborted]).toEqual([false, false]);
    world.run("a").end();
    await stop;
    await world.wake();
    expect([await world.status("a"), await world.status("b")]).toEqual(["finished", "queued"]);
  });

  it("a dispatcher that stops leaves what still runs after its patience to the next start, with everything written", async () => {
    const world = createWorld();
    await world.accept("a");
    await world.begin();
    const stop = world.dispatcher.stop(5_000);
    await world.calm();
    await world.pass(4_999);
    expect(world.run("a").signal.aborted).toBe(false);
    await world.pass(1);
    await stop;
    expect(world.run("a").signal.reason).toMatchObject({ code: "shutting_down" });
    expect(await world.types("a")).toEqual(["inbound", "turn_started"]);
    expect(await world.log.reclaim()).toEqual({ crashed: false, interrupted: 0, suspects: 0 });
    expect(await world.log.claim("next", 1)).toMatchObject({ turn_id: "a", crashes: 0 });
    expect(world.logged).toEqual([]);
  });

  it("a stopped dispatcher says nothing more to the log, and does not fail when it cannot report its stop", async () => {
    const settle = failing(9, async () => {});
    const world = createWorld({
      own: () => ({ settle: settle.method, leave: failing(1, async () => {}).method }),
    });
    await world.begin();
    await world.pass(60_000);
    await world.dispatcher.stop(0);
    await world.pass(120_000);
    expect(settle.calls).toHaveLength(1);
    expect(world.logged.at(-1)).toContain("the next start will treat it as a crash");
  });
});

describe("a dispatcher among other processes", () => {
  it("a dispatcher looks for work when another process calls, and every five seconds", async () => {
    const { calls, heard } = otherProcesses();
    const world = createWorld({ calls });
    await world.begin();
    await world.accept("a");
    heard.work();
    await world.calm();
    expect(world.running()).toEqual(["a"]);
    await world.accept("b");
    await world.pass(4_999);
    expect(world.running()).toEqual(["a"]);
    await world.pass(1);
    expect(world.running()).toEqual(["a", "b"]);
  });

  it.each([
    ["the turn's id", "a"],
    ["no id, as calls were lost", undefined],
  ])("a stop of another process aborts the turn when it calls with %s", async (_what, id) => {
    const { calls, heard } = otherProcesses();
    const world = createWorld({ calls });
    await world.accept("a");
    await world.begin();
    await world.log.signal("a", { type: "stop", by: "ada" }, 1);
    heard.signal(id);
    await world.calm();
    expect(world.run("a").signal.reason).toMatchObject({ code: "stop_requested" });
  });

  it("a turn whose lease cannot be renewed is given up before the lease ends", async () => {
    const { calls } = otherProcesses();
    const renew = failing(9, async () => []).method;
    const world = createWorld({ calls, own: () => ({ renew }) });
    await world.accept("a");
    await world.begin();
    await world.pass(leaseMs * 0.7 - 1);
    expect(world.running()).toEqual(["a"]);
    await world.pass(1);
    expect(world.run("a").signal.reason).toBeInstanceOf(LeaseLostError);
    expect(await world.status("a")).toBe("running");
  });

  it("a renewed lease keeps its turn, for as long as it is renewed", async () => {
    const world = createWorld({ calls: otherProcesses().calls });
    await world.accept("a");
    await world.begin();
    for (let third = 0; third < 9; third += 1) await world.pass(leaseMs / 3);
    expect(world.running()).toEqual(["a"]);
  });

  it("the lease of a turn that waits is renewed until the log says that it is gone", async () => {
    const renewed: string[][] = [];
    const renew: TurnLog["renew"] = async (leases) => {
      renewed.push(leases.map(({ turn_id }) => turn_id));
      return renewed.length < 2 ? [] : leases.map(({ turn_id }) => turn_id);
    };
    const world = createWorld({ calls: otherProcesses().calls, own: () => ({ renew }) });
    await world.accept("a");
    await world.begin();
    world.run("a").write({ type: "turn_waiting", until: 10_000_000 });
    await world.calm();
    for (let third = 0; third < 4; third += 1) await world.pass(leaseMs / 3);
    expect(renewed).toEqual([["a"], ["a"]]);
  });
});

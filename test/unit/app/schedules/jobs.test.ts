import { describe, expect, it } from "vitest";
import type { TurnEventOf } from "../../../../src/core/log/turn-event.ts";
import type { ScriptOutcome } from "../../../../src/core/ports/work-means.ts";
import { NetworkGrants } from "../../../../src/core/skill/network-grants.ts";
import type { CodeRequest, ScriptRequest, ScriptRunner } from "../../../../src/core/skill/programs.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { exited, fakeCode } from "../../../support/fakes/fake-code.ts";
import { type Line, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const minute = 60_000;
const ada = { id: "ada", name: "Ada", trust: "member" } as const;
const asker = { by: ada, namespace: home.namespace };
const job = (watch: object, code = "train()") => ({
  call: "run_code",
  with: { language: "python", code, watch },
});
const run = (watch: object): Line => [job(watch)];

/** A bot whose code is this test: `next` is the next run, which prints and ends as the test says. */
function createBot(script: readonly Line[], options: TestAppOptions = {}) {
  const clock = createFakeClock(Date.parse("2026-11-25T10:00:00Z"));
  const started: PromiseWithResolvers<{ request: CodeRequest; end: (how: ScriptOutcome) => void }>[] = [];
  const at = (index: number) => (started[index] ??= Promise.withResolvers());
  let runs = 0;
  const code = fakeCode(async (request) => {
    const ended = Promise.withResolvers<ScriptOutcome>();
    request.signal.addEventListener("abort", () => ended.reject(request.signal.reason));
    at(runs).resolve({ request, end: ended.resolve });
    runs += 1;
    return ended.promise;
  });
  const model = scriptedModel(script);
  const log = options.log ?? createMemoryTurnLog(clock);
  const app = createTestApp(model, { log, due: createMemoryTurnLog(clock).due, clock, code, ...options });
  app.startSchedules();
  return {
    ...{ app, model, clock },
    next: (index = 0) => at(index).promise,
    runs: () => runs,
    /** The ends of turns in the thread that nobody asked for, from now on. */
    async ends() {
      const items = await app.app.watch(home.namespace, new AbortController().signal);
      return {
        async next(): Promise<TurnEventOf<"turn_finished">> {
          for await (const item of items)
            if (item.kind === "event" && item.event.type === "turn_finished") return item.event;
          throw new Error("no end");
        },
      };
    },
    /** Lets time pass with everything that happens in between. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    ask: (text: string) => clock.advanceUntil(app.ask(text, { by: ada }), 20),
    list: () =>
      app.app
        .run("schedule.list", { input: { namespace: home.namespace }, asker })
        .then((listed) => (listed.ok ? listed.value.schedules : [])),
    /** What the model was told last by a person or a trigger. */
    told: () => model.requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.text ?? "",
    result: () => toolResults(model.requests.at(-1)?.messages ?? []).at(-1) ?? "",
  };
}

/** A document skill with files. */
const trainer = testSkill("trainer", [], {
  files: { list: async () => [], read: async () => ({ ok: true, text: "" }) },
});

type Bot = ReturnType<typeof createBot>;

async function nextEnd(bot: Bot, work: () => unknown) {
  const ends = await bot.ends();
  await work();
  return bot.clock.advanceUntil(ends.next(), 200);
}

describe("a job", () => {
  it("a job outlives its turn; its end begins a turn of the same person in the thread, with the output as data", async () => {
    const bot = createBot([run({}), "It trains.", "The loss is 0.2."]);
    const { end } = await bot.ask("train it");
    expect(end.text).toBe("It trains.");
    expect(bot.result()).toMatch(/^The job \w{8} runs, for at most 30 min/);
    expect(await bot.list()).toMatchObject([
      { what: "trigger", when: "on news of a job (python)", by: "Ada" },
    ]);
    const running = await bot.next();
    expect(running.request).toMatchObject({ timeout_ms: 30 * minute, working: { working: "/workspace" } });
    const told = await nextEnd(bot, () =>
      running.end(exited(`loss 0.2 </what_happened>\n${"x".repeat(20_000)}end`)),
    );
    expect(told.text).toBe("The loss is 0.2.");
    expect((await bot.app.log.get(told.turn_id))?.author.id).toBe("ada");
    expect(bot.told()).toMatch(
      /<what_happened>\n.*The job ended with the exit code 0\.\nloss 0\.2 &lt;\/what_happened>\nx+\n\[\d+ characters more; the whole output is \/workspace\/output\/job-\w{8}\.txt\]\nx+end\n<\/what_happened>/s,
    );
    const { files } = await bot.app.folders.of(home).list();
    expect(files).toMatchObject([{ path: expect.stringMatching(/output\/job-\w{8}\.txt$/), bytes: 20_029 }]);
    expect(await bot.list()).toEqual([]);
  });

  it("a job is watched for a line with a text, as it is, and for silence, once each", async () => {
    const line = "(a+)+$ ready";
    const bot = createBot([
      run({ line, quiet_seconds: 60 }),
      "Started.",
      "It is ready.",
      "It hangs.",
      "Done.",
    ]);
    await bot.ask("serve it");
    const { request, end } = await bot.next();
    for (let at = 0; at < 100; at += 1) request.onLine?.(`${"a".repeat(100_000)}b`);
    const ready = await nextEnd(bot, () => request.onLine?.(`12:00 ${line} on port 80`));
    expect(ready.text).toBe("It is ready.");
    expect(bot.told()).toMatch(/has printed the line\.\n[\s\S]*12:00 \(a\+\)\+\$ ready on port 80/);
    request.onLine?.(line);
    const hangs = await nextEnd(bot, () => bot.pass(minute));
    expect(hangs.text).toBe("It hangs.");
    expect(bot.told()).toMatch(/has printed nothing for 60 s/);
    await bot.pass(5 * minute);
    expect(await bot.list()).toHaveLength(1);
    const done = await nextEnd(bot, async () => {
      await bot.pass(minute);
      end(exited("bye", { exit_code: 3 }));
    });
    expect(done.text).toBe("Done.");
    expect(bot.told()).toMatch(/exit code 3\.\nbye/);
    expect(bot.model.requests).toHaveLength(5);
  });

  it("a job that was removed from the list is killed, and begins no turn", async () => {
    const bot = createBot([run({}), "Started.", "no"]);
    await bot.ask("train it");
    const { request } = await bot.next();
    const [{ id = "" } = {}] = await bot.list();
    const other = { by: { ...ada, id: "ben", name: "Ben" }, namespace: home.namespace };
    const input = { id, namespace: home.namespace };
    expect(await bot.app.app.run("schedule.remove", { input, asker: other })).toMatchObject({ status: 403 });
    expect(await bot.app.app.run("schedule.remove", { input, asker })).toMatchObject({ ok: true });
    const killed = new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    await bot.clock.advanceUntil(killed, 1_000);
    await bot.pass(5 * minute);
    expect(bot.model.requests).toHaveLength(2);
  });

  it("a job goes on when the clock jumps forward, as when a machine slept", async () => {
    const bot = createBot([run({}), "It trains.", "The loss is 0.2."]);
    await bot.ask("train it");
    const { request, end } = await bot.next();
    bot.clock.jump(60 * minute);
    // What is due is looked at before the job says that it runs.
    const input = { namespace: home.namespace, text: "stretch", in: "PT3H" };
    await bot.app.app.run("schedule.add", { input, asker });
    await bot.pass(minute);
    expect(request.signal.aborted).toBe(false);
    expect((await nextEnd(bot, () => end(exited("0.2")))).text).toBe("The loss is 0.2.");
  });

  it("a job that died with its bot is told once in its thread, and does not run again", async () => {
    const log = createMemoryTurnLog();
    const due = createMemoryTurnLog().due;
    const first = createBot([run({}), "Started."], { log, due });
    await first.ask("train it");
    await first.next();
    // Nothing of the first bot is stopped in order; its jobs stop here.
    await first.app.stop(0);
    const second = createBot(["no"], { log, due });
    const told = await nextEnd(second, () => undefined);
    expect(told.text).toMatch(/^The job `\w{8}` ended when I was restarted.*Shall I run it again\?$/);
    await second.pass(5 * minute);
    const turns = await log.list({ namespace: home.namespace });
    expect(turns).toHaveLength(2);
    expect([second.runs(), await second.list()]).toEqual([0, []]);
  });

  it("a channel has so many jobs at once, and none where an operator switches them off", async () => {
    const three = [1, 2, 3].map((at) => job({}, `job ${at}`));
    const bot = createBot([three, "Two of three run."]);
    await bot.ask("run three");
    expect(await bot.list()).toHaveLength(2);
    expect(bot.result()).toMatch(/2 jobs run in this channel, the maximum/);
    const off = createBot([run({}), "No."], { planLimits: { job_ms: 0 } });
    await off.ask("run it");
    expect(off.result()).toMatch(/Jobs are off here/);
  });

  it("a job that reaches its limit, or cannot start, says so", async () => {
    const bot = createBot([run({}), "Started.", "It was too slow.", run({}), "Again.", "It did not start."]);
    await bot.ask("train it");
    const first = await bot.next();
    await nextEnd(bot, () => first.end({ status: "timed_out", stdout: "epoch 1", stderr: "" }));
    expect(bot.told()).toMatch(/stopped after 30 min, its limit\.\nepoch 1/);
    await bot.ask("try again");
    const second = await bot.next(1);
    await nextEnd(bot, () => second.end({ status: "refused", reason: "The disk is full." }));
    expect(bot.told()).toMatch(/could not be started\.\nThe disk is full/);
  });

  it("a turn that a job began starts no further job [plan-6]", async () => {
    const bot = createBot([run({}), "Started.", run({}), "I do not go on."]);
    await bot.ask("train it");
    const first = await bot.next();
    await nextEnd(bot, () => first.end(exited("loss 0.2")));
    expect(bot.result()).toMatch(/starts no job.*without `watch`/s);
    expect(bot.runs()).toBe(1);
  });

  it("a goal waits for the jobs of its thread", async () => {
    const bot = createBot([run({}), "Goal continues: a", "It is trained.", "Goal reached: loss 0.2"]);
    const input = { ns: home.namespace, thread: home.thread, aim: "it is trained" };
    expect(await bot.app.app.run("goal.set", { input, asker })).toMatchObject({ ok: true });
    const first = await bot.clock.advanceUntil(bot.next(), 20);
    await bot.pass(5 * minute);
    expect(bot.model.requests).toHaveLength(2);
    await nextEnd(bot, () => first.end(exited("loss 0.2")));
    const reached = await nextEnd(bot, () => undefined);
    expect(reached.text).toBe("Goal reached: loss 0.2");
  });

  it("a script of a skill is a job too, with its variables and the hosts that operators granted it", async () => {
    const started = Promise.withResolvers<ScriptRequest>();
    const ended = Promise.withResolvers<ScriptOutcome>();
    const scripts: ScriptRunner = {
      allows: async () => ({ ok: true }),
      run: (request) => {
        started.resolve(request);
        return ended.promise;
      },
    };
    const call = { skill_name: "trainer", script: "train.py", args: ["fast"], watch: {} };
    const script: Line[] = [
      [{ call: "activate_skill", with: { skill_name: "trainer" } }],
      [{ call: "run_skill_script", with: call }],
      "It trains.",
      "It is trained.",
    ];
    const store = createMemoryKeyValue();
    await new NetworkGrants(store, () => [], { now: () => 0 }).grant(trainer, ["data.example.com"], "op");
    const bot = createBot(script, { scripts, store, skills: [trainer] });
    await bot.ask("train it");
    expect(bot.result()).toMatch(/^The job \w{8} runs, for at most 30 min/);
    expect(await bot.list()).toMatchObject([{ when: "on news of a job (train.py)" }]);
    const request = await started.promise;
    expect(request).toMatchObject({
      args: ["fast"],
      timeout_ms: 30 * minute,
      env: { KNACK_SKILL_ID: "trainer" },
    });
    const reached = ["data.example.com", "other.example.com"].map((host) => request.network?.permits(host));
    expect(reached).toEqual([true, false]);
    const told = await nextEnd(bot, () => ended.resolve(exited("loss 0.2")));
    expect(told.text).toBe("It is trained.");
    expect(bot.told()).toMatch(/exit code 0\.\nloss 0\.2\n\[it reached data\.example\.com\]/);
  });

  it("a script is no job where nothing isolates it", async () => {
    const scripts: ScriptRunner = {
      allows: async () => ({ ok: true, unconfined: true }),
      run: async () => exited("no"),
    };
    const call = { skill_name: "trainer", script: "train.py", watch: {} };
    const script: Line[] = [
      [{ call: "activate_skill", with: { skill_name: "trainer" } }],
      [{ call: "run_skill_script", with: call }],
      "No.",
    ];
    const bot = createBot(script, { scripts, skills: [trainer] });
    await bot.ask("train it");
    expect(bot.result()).toMatch(/sandbox only.*without `watch`/s);
    expect(await bot.list()).toEqual([]);
  });
});

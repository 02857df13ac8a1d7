import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import type { ScriptRunner } from "../../../src/core/skill/programs.ts";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import type { SandboxLimits } from "../../../src/sandbox/isolation.ts";
import { needs } from "../../support/needs.ts";
import { startProgram, writeModule } from "./program-fixture.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

describe("all code of skills together", needs("bubblewrap", "python3"), () => {
  const fixture = new ScriptFixture();
  afterAll(() => fixture[Symbol.dispose]());
  const skill = fixture.skill({
    "wait.sh": "echo began; read line; echo ended",
    "stay.sh": "echo began; sleep 60",
    "eat.py": `import sys, time
block = bytearray(int(sys.argv[1])); print("has it", flush=True); time.sleep(float(sys.argv[2])); print("done")`,
  });
  const open = (limits: Partial<SandboxLimits>) => createSandbox({ dataDir: fixture.dataDir, limits });

  /** A script that runs until it is stopped. */
  async function occupy(runner: ScriptRunner) {
    const controller = new AbortController();
    const began = new EventTarget();
    const started = once(began, "line");
    const running = runner.run(
      scriptRequest(skill, "stay.sh", {
        ...{ signal: controller.signal, timeout_ms: 60_000 },
        onLine: () => began.dispatchEvent(new Event("line")),
      }),
    );
    await started;
    return async () => {
      controller.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
    };
  }

  it("code of skills runs in a limited number of places: a script waits until one is free [sandbox-6]", async () => {
    const { scripts } = await open({ maxRunning: 1 });
    const leave = await occupy(scripts);
    let ended = false;
    const waiting = runToEnd(scripts, scriptRequest(skill, "wait.sh")).finally(() => {
      ended = true;
    });
    await leave();
    expect(ended).toBe(false);
    expect((await waiting).stdout).toBe("began\nended\n");
  });

  it("code of skills is refused with the reason when no place becomes free in time, even a program", async () => {
    const { scripts, programs } = await open({ maxRunning: 1, maxWaitMs: 100 });
    const leave = await occupy(scripts);
    expect(await scripts.run(scriptRequest(skill, "wait.sh"))).toEqual({
      status: "refused",
      reason: expect.stringMatching(/already runs in 1 .*skills\.execution\.max_running.*Try again later/),
    });
    const module = writeModule(fixture.root, { "program.mjs": "setInterval(() => undefined, 1000);" });
    await expect(startProgram(programs, { skill, module })).rejects.toMatchObject({ code: "program_failed" });
    await leave();
    expect((await runToEnd(scripts, scriptRequest(skill, "wait.sh"))).stdout).toContain("ended");
  });

  it("code of skills waits no longer than its call, and then takes no place", async () => {
    const { scripts } = await open({ maxRunning: 1 });
    const leave = await occupy(scripts);
    const signal = AbortSignal.timeout(50);
    await expect(scripts.run(scriptRequest(skill, "wait.sh", { signal }))).rejects.toMatchObject({
      name: "TimeoutError",
    });
    await leave();
    expect((await runToEnd(scripts, scriptRequest(skill, "wait.sh"))).stdout).toContain("ended");
  });

  it("a program is told that others wait for its place", async () => {
    const { scripts, programs } = await open({ maxRunning: 1 });
    const module = writeModule(fixture.root, { "program.mjs": "setInterval(() => undefined, 1000);" });
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const program = await programs.start({
      ...{ skill, module, env: {}, onMessage() {} },
      onWanted: () => program.kill(),
      onEnd: ({ reason }) => end(reason),
    });
    expect((await runToEnd(scripts, scriptRequest(skill, "wait.sh"))).stdout).toContain("ended");
    expect(await ended).toBe("It was stopped.");
  });

  it("code of skills has limited memory: the largest user is stopped, and the rest continues [sandbox-6]", async () => {
    const { scripts } = await open({ allMemoryBytes: 400_000_000 });
    const eat = (bytes: number, seconds: number) =>
      runToEnd(
        scripts,
        scriptRequest(skill, "eat.py", { args: [String(bytes), String(seconds)], timeout_ms: 30_000 }),
      );
    const [small, large] = await Promise.all([eat(150_000_000, 4), eat(300_000_000, 30)]);
    expect(small.stdout).toBe("has it\ndone\n");
    expect(large.stdout).not.toContain("done");
    expect(large.stderr).toContain("All code of skills together needed more memory than the 381 MB");
  });
});

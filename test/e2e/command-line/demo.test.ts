import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { builtProgram } from "../../support/bot/built-program.ts";

/** `knack demo crash` as a process, with a folder for temporary files of its own. */
async function startDemo() {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-demo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, TMPDIR: folder, NO_COLOR: "1" };
  const child = spawn(process.execPath, [await builtProgram(), "demo", "crash"], { env, cwd: folder });
  let out = "";
  const { promise: working, resolve } = Promise.withResolvers<void>();
  const hear = (chunk: Buffer) => {
    out += chunk.toString();
    if (out.includes("✓ Booking order 1")) resolve();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = once(child, "close").then(([code]) => ({ code, out }));
  return { child, working, ended, left: () => readdir(folder) };
}

it("the demonstration kills a bot and shows that it repeats nothing, on one screen without colours", async () => {
  const demo = await startDemo();
  const { code, out } = await demo.ended;
  expect(out).toMatch(/kill -9 \d+/);
  expect(out).toContain("order 1: 1 ×, order 2: 1 ×, order 3: 1 ×");
  expect(out).toMatch(/── \d+\.\d s without a bot ──/);
  expect(out).toContain("nothing was repeated");
  expect(out).not.toContain("\u001b[");
  expect(out.trim().split("\n").length).toBeLessThanOrEqual(32);
  expect(code).toBe(0);
  expect(await demo.left()).toEqual([]);
}, 60_000);

it("the demonstration ends with Ctrl-C, and leaves neither a process nor a folder", async () => {
  const demo = await startDemo();
  await demo.working;
  demo.child.kill("SIGINT");
  // Its output is closed once the bot, which has it too, is gone.
  expect((await demo.ended).code).toBe(130);
  expect(await demo.left()).toEqual([]);
}, 60_000);

import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { endGroup, exitStatus, groupEnd, killGroup, spawnGroup } from "../../../src/process/process-group.ts";
import { isAlive } from "../../support/bot/is-alive.ts";

const env = { PATH: process.env.PATH ?? "" };

/** A shell script in a group of its own, killed after the test. */
function shell(script: string) {
  const child = spawnGroup("/bin/sh", ["-c", script], { env, stdio: "pipe" });
  onTestFinished(() => killGroup(child));
  return child;
}

async function firstLine(child: ReturnType<typeof shell>): Promise<string> {
  const [chunk] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return chunk.toString("utf8").trim();
}

/** A timer that fires when it is told to. */
function handTimer() {
  let fire = () => {};
  return {
    after(_ms: number, callback: () => void) {
      fire = callback;
      return () => {
        fire = () => {};
      };
    },
    fire: () => fire(),
  };
}

it("a process gets only the given environment, and leads its group", async () => {
  process.env.KNACK_TEST_SECRET = "secret";
  onTestFinished(() => void delete process.env.KNACK_TEST_SECRET);
  const child = shell('echo "$KNACK_TEST_SECRET $(ps -o pgid= -p $$ 2>/dev/null || echo $$)"');
  expect(Number(await firstLine(child))).toBe(child.pid);
});

it("a killed group ends with everything that was started in it", async () => {
  const child = shell("sleep 600 & echo $!; wait");
  const grandchild = Number(await firstLine(child));
  killGroup(child);
  expect(await groupEnd(child)).toEqual({ code: null, signal: "SIGKILL" });
  await expect.poll(() => isAlive(grandchild)).toBe(false);
  killGroup(child);
});

it("a process's children are killed when it exits, even if they hold its output", async () => {
  const child = shell("sleep 600 & echo $!; exit 3");
  const end = groupEnd(child);
  const grandchild = Number(await firstLine(child));
  expect(await end).toEqual({ code: 3, signal: null });
  await expect.poll(() => isAlive(grandchild)).toBe(false);
});

it("output that was written before the end is read", async () => {
  const child = shell("i=0; while [ $i -lt 2000 ]; do echo 0123456789; i=$((i+1)); done");
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await groupEnd(child);
  expect(bytes).toBe(22_000);
});

it("a program that does not exist has an end, and nothing is killed for it", async () => {
  const child = spawnGroup("/nowhere/program", [], { env, stdio: "pipe" });
  const end = groupEnd(child);
  const [error] = await once(child, "error");
  expect(error).toMatchObject({ code: "ENOENT" });
  await end;
  killGroup(child);
});

it("a process ends by itself when its input is closed", async () => {
  const timer = handTimer();
  const child = shell("cat; exit 4");
  const end = groupEnd(child);
  await endGroup(child, 1_000, timer);
  expect(await end).toEqual({ code: 4, signal: null });
});

it("a process that does not end in time is killed with its group", async () => {
  const timer = handTimer();
  const child = shell("sleep 600 & echo $!; wait");
  const grandchild = Number(await firstLine(child));
  const gone = endGroup(child, 1_000, timer);
  timer.fire();
  await gone;
  expect(child.signalCode).toBe("SIGKILL");
  await expect.poll(() => isAlive(grandchild)).toBe(false);
});

it.each([
  [{ code: 0, signal: null }, 0],
  [{ code: 7, signal: null }, 7],
  [{ code: null, signal: "SIGKILL" as const }, 137],
])("the exit status of %j is %i", (end, status) => {
  expect(exitStatus(end)).toBe(status);
});

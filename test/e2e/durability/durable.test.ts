import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();

/** Writes down which files a process writes and syncs, and what it sends. */
async function traced(pid: number, work: () => Promise<void>): Promise<string[]> {
  const file = join(tmpdir(), `knack-trace-${crypto.randomUUID()}`);
  const calls = "trace=pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg";
  const strace = spawn("strace", ["-f", "-y", "-s", "5000", "-e", calls, "-o", file, "-p", String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(strace, "exit");
  await attached(strace);
  await work();
  strace.kill("SIGINT");
  await ended;
  return (await readFile(file, "utf8")).split("\n");
}

/** Its stderr is read to the end: strace tells of each new thread there, and dies when nobody listens. */
function attached({ stderr }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    stderr?.on("data", (chunk) => String(chunk).includes("attached") && resolve());
    stderr?.once("close", () => reject(new Error("strace could not attach to the bot")));
  });
}

/** Lines at which a sync of this file that began at or after line `from` had ended well. */
function syncsOf(lines: readonly string[], file: string, from: number): number[] {
  return lines.flatMap((line, at) => {
    if (at < from || !line.includes("fdatasync(") || !line.includes(file)) return [];
    if (/= 0$/.test(line)) return [at];
    const [thread = ""] = line.split(" ");
    const end = lines.findIndex(
      (later, place) => place > at && later.startsWith(`${thread} `) && /fdatasync resumed.*= 0$/.test(later),
    );
    return end < 0 ? [] : [end];
  });
}

it.each([
  ["a message", "turns.db-wal", "HTTP/1.1 202"],
  ["the state of a skill", "state.db-wal", "HTTP/1.1 200"],
] as const)("the bot answers for %s when it is on the disk", async (what, file, answer) => {
  const { home, models } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: "Hello." } }]);
  const { client, pid } = await home.start();
  const mark = `mark-${crypto.randomUUID()}`;
  const namespace = `console:local:${mark}`;
  const lines = await traced(pid, async () => {
    if (what === "a message") await client.submitTurn({ namespace, thread: "t1", text: "hello" });
    else await client.call("skill.set", { ns: namespace, id: "web-scraping", state: "pinned" });
  });
  const written = lines.findIndex(
    (line) => line.includes("pwrite64(") && line.includes(file) && line.includes(mark),
  );
  expect(written).toBeGreaterThan(-1);
  const answered = lines.findIndex((line, at) => at > written && line.includes(answer));
  expect(answered).toBeGreaterThan(written);
  expect(syncsOf(lines, file, written).filter((at) => at < answered)).not.toEqual([]);
  // The thread of the event loop, which has the id of the process, waits for no disk.
  const waits = lines.filter((line) => line.startsWith(`${pid} `) && /\bf(data)?sync\(/.test(line));
  expect(waits).toEqual([]);
});

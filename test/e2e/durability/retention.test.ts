import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDiskFileStore } from "../../../src/storage/disk-file-store.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { ended } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const bot = useBot({ env: () => ({ KNACK_MODEL: "offline" }) });
const place = { namespace: "console:local:general", thread: "old" };
const day = 86_400_000;

/** Fills a data folder as a bot did that ran 400 days ago. */
async function fill(data: string): Promise<void> {
  const at = Date.now() - 400 * day;
  const log = await openSqliteTurnLog(join(data, "turns.db"));
  const author = { id: "ada", name: "Ada", trust: "member" } as const;
  await log.accept({ key: "k", ...place, author, kind: "message", text: "the secret word" }, "t1", at);
  await log.claim("w", 1_000);
  await log.append("t1", "w", [
    { type: "turn_finished", outcome: "completed", text: "fine", turn_id: "t1", seq: 1, at },
  ]);
  await log.close();
  const files = createDiskFileStore(join(data, "files"));
  await files.put("t1", { name: "a.txt", media_type: "text/plain", data: Buffer.from("the secret word") });
}

async function holdsSecret(data: string): Promise<boolean> {
  const found = await readdir(data, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && !entry.name.endsWith("-shm"));
  const contents = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
  return contents.some((content) => content.includes("secret word"));
}

it("the bot announces what it will delete, and deletes it 14 days later without a trace", async () => {
  const { home } = bot();
  await home.run(["runs", "list"]);
  await fill(home.data);
  const first = await home.start();
  const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  await expect.poll(() => first.out()).toContain(`deleted from ${date.format(Date.now() + 14 * day)} on`);
  const early = await home.run(["retention", "--json"]);
  expect(JSON.parse(early.stdout)).toMatchObject({ ran: false, counts: { threads: 1, turns: 1, files: 1 } });
  expect(await first.client.call("turn.show", { id: "t1" })).toMatchObject({ question: "the secret word" });
  const { turn_id } = await first.client.submitTurn({ ...place, thread: "new", text: "hello" });
  await ended(first.client, turn_id);
  expect(await first.terminate()).toBe(0);

  const store = await openKeyValue(join(home.data, "state.db"));
  await store.update<{ at: number }>("retention:announced", (value) => {
    if (value === undefined) throw new Error("nothing was announced");
    return { ...value, at: value.at - 14 * day };
  });
  await store.close();
  expect(await holdsSecret(home.data)).toBe(true);
  const second = await home.start();
  const dry = await home.run(["retention", "--dry-run", "--json"]);
  expect(JSON.parse(dry.stdout)).toMatchObject({ ran: false, counts: { threads: 1 } });
  const done = await home.run(["retention"]);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("conversations: 1, with 1 turn (")]);
  expect(await holdsSecret(home.data)).toBe(false);
  await expect(second.client.call("turn.show", { id: "t1" })).rejects.toMatchObject({ status: 404 });
  expect(await second.client.call("turn.show", { id: turn_id })).toMatchObject({ status: "finished" });
  expect(await second.terminate()).toBe(0);
});

import { DatabaseSync } from "node:sqlite";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import { openSqliteTurnLog } from "../../src/storage/sqlite/sqlite-turn-log.ts";
import { follow } from "../support/follow.ts";
import { createGoldenBot, createGoldenClock } from "./golden-bot.ts";
import { startGoldenServer } from "./golden-server.ts";
import { send } from "./http-client.ts";
import { handIn } from "./said-sentence.ts";

/** Sentences by thread, with who says them; all are finished but two that wait for a person. */
const finished = [
  ["done-1", "olga", "@Knack hello"],
  ["done-2", "olga", "/skill enable notes"],
  ["done-3", "ben", "/skill run notes text=x count=2"],
  ["done-4", "ben", "/skill run haiku about rain"],
  ["done-5", "ben", "/skill enable haiku"],
  ["done-6", "ben", "/flow run weekly --dry-run"],
  ["done-7", "ben", "@Knack stop"],
  ["waits-1", "ben", "/skill run deploy text=x"],
  ["waits-2", "ben", "/skill run asks"],
] as const;

/** Accepted, and not yet taken up when the bot stops. */
const pending = [
  ["pending-1", "olga", "@Knack hello"],
  ["pending-2", "ben", "/help"],
  ["pending-3", "ben", "/skill run notes text=x"],
  ["pending-4", "ben", "/skill run haiku about rain"],
  ["pending-5", "ben", "@Knack stop"],
] as const;

/** The statements that fill a turn log with what two bots write to the file `path`: turns of every kind. */
export async function recordTurns(path: string): Promise<string> {
  const clock = createGoldenClock();
  const log = await openSqliteTurnLog(path, { clock: { ...clock, steady: clock.now } });
  const server = await startGoldenServer({ log, clock });
  for (const [thread, author, text] of finished) {
    const key = await handIn(server, { namespace: "fake:team:general", thread }, thread, { text, author });
    await ended(server.test, await log.find(key));
  }
  const json = { text: "/agent stop here", namespace: "console:local:dm", thread: "done-8" };
  const { text } = await send(server.url, { call: "POST /turns", json });
  await ended(server.test, JSON.parse(text).turn_id);
  await server.test.stop(0);
  const idle: TurnLog = { ...log, claim: async () => undefined };
  const bot = createGoldenBot({ log: idle, clock });
  for (const [thread, author, text] of pending)
    await handIn(bot, { namespace: `fake:team:${thread}`, thread }, thread, { text, author });
  await bot.test.stop(0);
  await log.close();
  return rowsOf(path);
}

/** Until the turn is finished or waits. */
async function ended({ app }: ReturnType<typeof createGoldenBot>["test"], turn = ""): Promise<void> {
  for await (const { type } of follow(app, turn))
    if (type === "turn_finished" || type === "turn_waiting") return;
}

function rowsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = "turns texts events signals threads namespaces lanes due_entries life".split(" ");
  const statements = tables.flatMap((table) =>
    database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      // A trigger counts the uses again.
      .map((row) => (table === "texts" ? { ...row, uses: 0 } : row))
      .map((row) => `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.values(row).map(quoted)});`),
  );
  database.close();
  return statements.join("\n");
}

function quoted(value: unknown): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

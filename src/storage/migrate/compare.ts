import { createHash } from "node:crypto";
import type { TurnLog } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";
import { storableText } from "../postgres/postgres-connection.ts";
import { createPostgresTurnLog } from "../postgres/turn-log/postgres-turn-log.ts";
import { createTurnLog } from "../sqlite/sqlite-turn-log.ts";
import { copiedTables } from "./copied-tables.ts";
import { filesOf } from "./copy-files.ts";
import { countOf, type Migration } from "./copy-tables.ts";
import { withoutRecord } from "./migration-record.ts";

/** Turns read at a time. */
const pageSize = 200;

/** Compares what can be counted, and every thread as a reader of the log sees it. Returns the first difference, as a sentence. */
export async function findDifference(migration: Migration): Promise<string | undefined> {
  const { source, connection } = migration;
  const countTarget = async (name: string) => {
    const where = name === "kv" ? `WHERE ${withoutRecord}` : "";
    return Number((await connection.get(`SELECT count(*) AS n FROM ${name} ${where}`))?.n);
  };
  const counts = copiedTables.map((table) => ({ name: table.name, here: countOf(table, source) }));
  for (const { name, here } of [...counts, { name: "files", here: (await filesOf(source)).length }]) {
    const there = await countTarget(name);
    if (here !== there) return `Of ${here} ${name}, ${there} are in the database.`;
  }
  return differentThread(migration);
}

async function differentThread({ source, connection, progress }: Migration): Promise<string | undefined> {
  const turns = source.database("turns.db");
  const total = Number(turns.get("SELECT count(*) AS n FROM threads")?.n);
  const here = hashedThreads(createTurnLog(turns));
  const there = hashedThreads(createPostgresTurnLog(connection));
  for (let done = 1; ; done += 1) {
    const [one, other] = await Promise.all([here.next(), there.next()]);
    const found = one.value ?? other.value;
    if (found === undefined) return undefined;
    if (one.value?.hash !== other.value?.hash)
      return `The thread ${found.thread} of ${found.namespace} differs in the database.`;
    progress("threads compared", done, total);
  }
}

/** The threads of a log in order, each with a hash of its title and counts, its turns and their events. */
async function* hashedThreads(
  log: Pick<TurnLog, "namespaces" | "everyThread" | "list" | "read">,
): AsyncGenerator<Place & { hash: string }, undefined> {
  for (const namespace of await log.namespaces())
    for await (const record of log.everyThread(namespace)) {
      const place = { namespace, thread: record.thread };
      const hash = createHash("sha256");
      const add = (value: unknown) => void hash.update(`${JSON.stringify(value)}\n`);
      // PostgreSQL stores these texts without U+0000.
      add({
        ...record,
        namespace: storableText(namespace),
        thread: storableText(record.thread),
        title: storableText(record.title),
      });
      for await (const turn of turnsOf(log, place)) {
        add({ ...turn, namespace: "", thread: "" });
        for (const event of await log.read(turn.turn_id)) add(event);
      }
      yield { ...place, hash: hash.digest("hex") };
    }
  return undefined;
}

async function* turnsOf(log: Pick<TurnLog, "list">, place: Place) {
  for (let before: string | undefined; ; ) {
    const page = await log.list({ ...place, limit: pageSize, ...(before === undefined ? {} : { before }) });
    yield* page;
    if (page.length < pageSize) return;
    before = page.at(-1)?.turn_id;
  }
}

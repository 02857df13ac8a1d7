import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { typeName } from "../disk-file-store.ts";
import type { PostgresSession } from "../postgres/postgres-connection.ts";
import { isStoredName } from "../stored-names.ts";
import { type CopiedRow, copyRows, type Migration } from "./copy-tables.ts";
import type { MigrationSource } from "./source.ts";

/** A file of a turn. */
interface Place {
  turn_id: string;
  name: string;
  changed_at: number;
}

/** Copies the files of turns that are not in the target yet. */
export async function copyFiles(migration: Migration): Promise<void> {
  const { source, record } = migration;
  const places = await filesOf(source);
  const [turn = "", name = ""] = record.copied.files?.after ?? [];
  const left = places.filter((place) => compare(place, { turn_id: String(turn), name: String(name) }) > 0);
  await copyRows("files", rowsOf(left, source), { ...migration, total: places.length, insert });
}

/** All files of turns, in order. */
export async function filesOf({ files, filesFolder }: MigrationSource): Promise<Place[]> {
  const places: Place[] = [];
  for await (const { turn_id, changed_at } of files.turns()) {
    const names = new Set(await readdir(join(filesFolder, turn_id)));
    for (const name of names)
      if (isStoredName(name) && names.has(typeName(name))) places.push({ turn_id, name, changed_at });
  }
  return places.sort(compare);
}

function compare(a: Omit<Place, "changed_at">, b: Omit<Place, "changed_at">): number {
  if (a.turn_id !== b.turn_id) return a.turn_id < b.turn_id ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

async function* rowsOf(places: readonly Place[], { files }: MigrationSource): AsyncGenerator<CopiedRow> {
  for (const { turn_id, name, changed_at } of places) {
    const found = await files.get(turn_id, name);
    if (found === undefined) continue;
    const { file, data } = found;
    const sha256 = createHash("sha256").update(data).digest("hex");
    const values = [turn_id, name, file.media_type, sha256, file.bytes, Math.ceil(changed_at), data];
    yield { key: [turn_id, name], values };
  }
}

const insertBlob = "INSERT INTO blobs (sha256, data) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING";
const insertFile =
  "INSERT INTO files (turn_id, name, media_type, sha256, bytes, changed_at) VALUES ($1, $2, $3, $4, $5, $6)";

async function insert(session: PostgresSession, rows: readonly CopiedRow[]): Promise<void> {
  for (const { values } of rows) {
    const [turn_id = "", name = "", media_type = "", sha256 = "", bytes = 0, changed_at = 0, data = ""] =
      values;
    await session.run(insertBlob, sha256, data);
    await session.run(insertFile, turn_id, name, media_type, sha256, bytes, changed_at);
  }
}

import { createHash } from "node:crypto";
import { safeMediaType } from "../../base/file-kind.ts";
import type { FileStore } from "../../core/ports/storage.ts";
import { badTurnError, isStoredName, isTurnId, nameFor } from "../stored-names.ts";
import { inPages, type Row } from "../tables.ts";
import type { PostgresConnection, PostgresSession } from "./postgres-connection.ts";

/** Each content is stored once, by its SHA-256 in hexadecimal, as long as a file has it. */
export const fileTables = `
  CREATE TABLE blobs (
    sha256 text COLLATE "C" PRIMARY KEY,
    data bytea NOT NULL
  );
  CREATE TABLE files (
    turn_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    media_type text NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (turn_id, name)
  );
  CREATE INDEX files_of_blob ON files (sha256);
`;

/** Turns read at a time. */
const pageSize = 500;

/** Milliseconds since the epoch, by the clock of the database. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** The file store on a connection whose schema has its tables. Any number of processes use it at once. */
export function createPostgresFileStore(connection: PostgresConnection): FileStore {
  return {
    async put(turnId, file, replaces) {
      if (!isTurnId(turnId)) throw badTurnError(turnId);
      const media_type = safeMediaType(file.media_type);
      const sha256 = createHash("sha256").update(file.data).digest("hex");
      const bytes = file.data.byteLength;
      return connection.transaction(async (session) => {
        const files = await lockedFiles(session, turnId);
        const name = await nameFor(file, replaces, (wanted) => {
          const there = files.get(wanted);
          return there !== undefined && (there.media_type !== media_type || there.sha256 !== sha256);
        });
        const replaced = files.get(name)?.sha256 ?? sha256;
        await lockBlobs(session, [sha256, replaced]);
        await session.run(
          "INSERT INTO blobs (sha256, data) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING",
          ...[sha256, file.data],
        );
        await session.run(
          `INSERT INTO files (turn_id, name, media_type, sha256, bytes, changed_at) VALUES ($1, $2, $3, $4, $5, ${now})
           ON CONFLICT (turn_id, name) DO UPDATE SET media_type = excluded.media_type, sha256 = excluded.sha256,
             bytes = excluded.bytes, changed_at = excluded.changed_at`,
          ...[turnId, name, media_type, sha256, bytes],
        );
        await removeUnusedBlobs(session, [replaced]);
        return { name, media_type, bytes };
      });
    },
    async get(turnId, name) {
      if (!isTurnId(turnId) || !isStoredName(name)) return undefined;
      const row = await connection.get(
        "SELECT f.media_type, f.bytes, b.data FROM files f JOIN blobs b USING (sha256) WHERE f.turn_id = $1 AND f.name = $2",
        ...[turnId, name],
      );
      if (row === undefined) return undefined;
      const file = { name, media_type: String(row.media_type), bytes: Number(row.bytes) };
      return { file, data: Uint8Array.from(row.data as Uint8Array) };
    },
    async remove(turnId, name) {
      if (!isTurnId(turnId) || !isStoredName(name)) return;
      await connection.transaction(async (session) => {
        const there = (await lockedFiles(session, turnId)).get(name);
        if (there === undefined) return;
        await session.run("DELETE FROM files WHERE turn_id = $1 AND name = $2", turnId, name);
        await session.run(`UPDATE files SET changed_at = ${now} WHERE turn_id = $1`, turnId);
        await lockBlobs(session, [there.sha256]);
        await removeUnusedBlobs(session, [there.sha256]);
      });
    },
    async forget(turnId) {
      if (!isTurnId(turnId)) return;
      await connection.transaction(async (session) => {
        const blobs = [...(await lockedFiles(session, turnId)).values()].map(({ sha256 }) => sha256);
        await session.run("DELETE FROM files WHERE turn_id = $1", turnId);
        await lockBlobs(session, blobs);
        await removeUnusedBlobs(session, blobs);
      });
    },
    async *turns() {
      const page = `
        SELECT turn_id, max(changed_at) AS changed_at FROM files WHERE turn_id > $1
        GROUP BY turn_id ORDER BY turn_id LIMIT ${pageSize}`;
      const rows = inPages<Row>(pageSize, (last) => connection.all(page, String(last?.turn_id ?? "")));
      for await (const { turn_id, changed_at } of rows)
        yield { turn_id: String(turn_id), changed_at: Number(changed_at) };
    },
    scrub: () => connection.rewrite("files", "blobs"),
  };
}

/** The files of a turn by their names; no other transaction changes them until this one ends. */
async function lockedFiles(
  session: PostgresSession,
  turnId: string,
): Promise<Map<string, { media_type: string; sha256: string }>> {
  await session.run("SELECT pg_advisory_xact_lock(hashtextextended('files ' || $1, 0))", turnId);
  const rows = await session.all("SELECT name, media_type, sha256 FROM files WHERE turn_id = $1", turnId);
  return new Map(
    rows.map(({ name, media_type, sha256 }) => [
      String(name),
      { media_type: String(media_type), sha256: String(sha256) },
    ]),
  );
}

/** Keeps others from using or removing blobs until the transaction ends; always in the same order, so that nobody waits in a circle. */
async function lockBlobs(session: PostgresSession, blobs: readonly string[]): Promise<void> {
  for (const sha256 of [...new Set(blobs)].sort())
    await session.run("SELECT pg_advisory_xact_lock(hashtextextended('blob ' || $1, 0))", sha256);
}

/** Removes the locked blobs that no file has. */
async function removeUnusedBlobs(session: PostgresSession, blobs: readonly string[]): Promise<void> {
  await session.run(
    "DELETE FROM blobs b WHERE sha256 = ANY ($1) AND NOT EXISTS (SELECT 1 FROM files f WHERE f.sha256 = b.sha256)",
    blobs,
  );
}

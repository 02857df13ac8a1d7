import type { UpgradeCopies } from "../../core/ports/storage.ts";
import type { StoreFormat } from "../store-format.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { fileTables } from "./postgres-file-store.ts";
import { keyValueTables } from "./postgres-key-value.ts";
import { knowledgeTables } from "./postgres-knowledge.ts";
import { leaseTables } from "./postgres-leases.ts";
import { messageTables } from "./postgres-message-index.ts";

/**
 * The tables of the turn log. Ordinals rise; within a line they are given under its lock, so that they are the order of the line.
 *
 * `ready`: the turn is the first unfinished one of its line, and may be claimed. Other turns are queued behind one, leased until
 * `lease_ends` (or given back until then; `lease` is null), or wait until `due_at`. Times are ms since the epoch. `lease` names the claim
 * that holds the turn, and `worker` who made it: null once its end is nobody's fault, or has been counted. A lease that is renewed changes
 * no indexed column, so PostgreSQL rewrites no index. `woken` collects what reached a turn and may come too late for it: 1 a signal, 2 a
 * message of its author. A turn that starts to wait with it set is ready immediately, so that no wake-up is lost between its last check and
 * its wait. `said`: a person's message, which wakes a waiting turn of its author.
 *
 * `seq_from` is the seq after which a resumed turn continues. `suspect` marks turns that may cause repeated crashes, `crashes` counts the
 * crashes a turn is blamed for, `late_crashes` those in which it ran and was not blamed.
 *
 * `cost_usd` excludes `unpriced_tokens`, input and output of models without a price: if these are all tokens of a turn, its cost is
 * unknown. `details`: the turn has its run details. `opened` of a thread is the ordinal of the latest turn that opened a transcript there;
 * 0 for none.
 *
 * `text`, `answer` and `body` are JSON text, which keeps every digit and U+0000; `jsonb` refuses U+0000. Texts that several events share are
 * not stored once, as they are in SQLite: PostgreSQL compresses long ones.
 */
export const turnLogTables = `
  CREATE TABLE turns (
    ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    turn_id text COLLATE "C" NOT NULL UNIQUE,
    key text COLLATE "C" NOT NULL UNIQUE,
    line text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    lane text COLLATE "C" NOT NULL,
    said boolean NOT NULL,
    author_id text COLLATE "C" NOT NULL,
    author text NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    ready boolean NOT NULL,
    due_at bigint NOT NULL DEFAULT 0,
    lease text,
    worker text,
    lease_ends bigint NOT NULL DEFAULT 0,
    woken integer NOT NULL DEFAULT 0,
    seq_from bigint NOT NULL DEFAULT 0,
    crashes integer NOT NULL DEFAULT 0,
    late_crashes integer NOT NULL DEFAULT 0,
    suspect boolean NOT NULL DEFAULT false,
    outcome text,
    merged_into text,
    accepted_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    input_tokens bigint NOT NULL DEFAULT 0,
    cached_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    unpriced_tokens bigint NOT NULL DEFAULT 0,
    cost_usd double precision NOT NULL DEFAULT 0,
    details boolean NOT NULL DEFAULT true,
    text text NOT NULL,
    answer text
  ) WITH (fillfactor = 80);
  CREATE INDEX turns_ready ON turns (lane, namespace, ordinal) WHERE ready AND NOT suspect;
  CREATE INDEX turns_suspect ON turns (lane, ordinal) WHERE suspect;
  CREATE INDEX turns_held ON turns (lane, namespace) WHERE status = 'running' AND NOT ready;
  CREATE INDEX turns_waiting ON turns (due_at) WHERE status = 'waiting' AND NOT ready;
  CREATE INDEX turns_unfinished ON turns (line, ordinal) WHERE status <> 'finished';
  CREATE INDEX turns_of_thread ON turns (thread, namespace, ordinal);
  CREATE INDEX turns_of_namespace ON turns (namespace, ordinal);
  CREATE INDEX turns_of_namespace_by_time ON turns (namespace, accepted_at);
  CREATE INDEX turns_of_author_by_time ON turns (author_id, accepted_at);
  CREATE INDEX turns_detailed ON turns (finished_at, ordinal) WHERE details AND status = 'finished';

  CREATE TABLE events (
    turn_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (turn_id, seq)
  );

  CREATE TABLE signals (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    turn_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX signals_of_turn ON signals (turn_id, id);

  CREATE TABLE threads (
    namespace text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    title text NOT NULL,
    root text,
    turns bigint NOT NULL,
    unfinished bigint NOT NULL,
    last_at bigint NOT NULL,
    deletions bigint NOT NULL DEFAULT 0,
    opened bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, thread)
  ) WITH (fillfactor = 80);
  CREATE INDEX threads_by_activity ON threads (namespace, last_at, thread);

  CREATE TABLE namespaces (namespace text COLLATE "C" PRIMARY KEY);
  CREATE TABLE probe (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);

  CREATE TABLE due_entries (
    ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    namespace text COLLATE "C" NOT NULL,
    shown_in text COLLATE "C",
    kind text COLLATE "C" NOT NULL,
    due_at bigint,
    value text NOT NULL
  );
  CREATE INDEX due_entries_by_time ON due_entries (due_at, ordinal) WHERE due_at IS NOT NULL;
  CREATE INDEX due_entries_of_namespace ON due_entries (namespace, ordinal);
  CREATE INDEX due_entries_shown_in ON due_entries (shown_in, ordinal) WHERE shown_in IS NOT NULL;
`;

/**
 * The schema that all stores share. A step to a later format only adds: processes of the version before go on while it is taken. What
 * nothing uses any more is dropped by a later one.
 */
export const postgresFormat: StoreFormat = {
  number: 2,
  tables: [keyValueTables, fileTables, messageTables, knowledgeTables, leaseTables, turnLogTables].join("\n"),
};

/** The copies of a schema from before its upgrades. */
export function createSchemaCopies(connection: PostgresConnection): UpgradeCopies {
  return {
    async remove({ before = Number.MAX_SAFE_INTEGER, dryRun = false } = {}) {
      const due = "FROM formats WHERE copy IS NOT NULL AND at < $1";
      if (dryRun)
        return (await connection.all(`SELECT copy ${due} ORDER BY copy`, before)).map(({ copy }) =>
          String(copy),
        );
      return connection.transaction(async (session) => {
        const rows = await session.all(`SELECT number, copy ${due} ORDER BY copy FOR UPDATE`, before);
        for (const { number, copy } of rows) {
          await session.run(`DROP SCHEMA IF EXISTS "${String(copy).replaceAll('"', '""')}" CASCADE`);
          await session.run("UPDATE formats SET copy = NULL WHERE number = $1", Number(number));
        }
        return rows.map(({ copy }) => String(copy));
      });
    },
  };
}

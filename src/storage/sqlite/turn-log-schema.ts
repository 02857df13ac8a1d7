import type { StoreFormat } from "../store-format.ts";

/**
 * The tables of the SQLite turn log. Accepting a turn writes a page for every index, so there are only as many as queries need. Ordinals
 * rise; one is reused only after the newest turns of all were deleted, and then nothing names it any more.
 *
 * `head` marks the first unfinished turn of a line: the only one that may run. `due_at` (ms) is the time from which a head may be claimed:
 * 0 immediately (queued or woken), the end of its lease while it runs (steady time), its wake time while it waits (wall clock). `lease`
 * names the claim that holds it. `woken` collects what reached a running turn and may come too late for it: 1 a signal, 2 a message of its
 * author. A turn that starts to wait with it set is due immediately, so that no wake-up is lost between its last check and its wait.
 *
 * `lanes` has the oldest turn of each lane and namespace that may be claimed immediately (`ready`), without suspects: a claim looks at
 * namespaces, never at the turns queued in them. `seq_from` is the seq after which a resumed turn continues. `suspect` marks turns that may
 * cause repeated crashes of the bot, `crashes` counts the crashes a turn is blamed for, `late_crashes` those in which it ran although the
 * bot had run for a while.
 *
 * `life` records how far the latest process that runs turns came (`state`: started, settled, stopping), after how many crashes in a
 * row it began (`after_crash`), and how many suspects may run at once.
 *
 * `cost_usd` excludes `unpriced_tokens`, input and output of models without a price: if these are all tokens of a turn, its cost is
 * unknown.
 *
 * `due_entries` has the entries that come due by themselves (`core/ports/schedules.ts`); `due_at` is null for an entry that does not.
 *
 * `details` is 1 while a turn has its run details. `opened` of a thread is the ordinal of the latest turn that opened a transcript there;
 * 0 for none.
 *
 * `texts` has the members that events share (`sqlite-events.ts`), each once by its sha256. An event names them by member and id in its
 * column `texts`. The triggers count the events that name a text; it is deleted in the transaction that deletes the last of them.
 */
export const turnLogFormat: StoreFormat = {
  number: 2,
  tables: `
  CREATE TABLE turns (
    ordinal INTEGER PRIMARY KEY,
    turn_id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,
    line TEXT NOT NULL,
    namespace TEXT NOT NULL,
    thread TEXT NOT NULL,
    kind TEXT NOT NULL,
    lane TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'queued',
    head INTEGER NOT NULL,
    due_at INTEGER NOT NULL DEFAULT 0,
    woken INTEGER NOT NULL DEFAULT 0,
    lease TEXT,
    seq_from INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    late_crashes INTEGER NOT NULL DEFAULT 0,
    suspect INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,
    merged_into TEXT,
    accepted_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    unpriced_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    details INTEGER NOT NULL DEFAULT 1,
    answer TEXT,
    text TEXT NOT NULL
  );
  CREATE INDEX turns_ready ON turns(lane, namespace, ordinal) WHERE head = 1 AND due_at = 0 AND suspect = 0;
  CREATE INDEX turns_due ON turns(status, due_at, lane, namespace) WHERE head = 1 AND due_at > 0;
  CREATE INDEX turns_suspect ON turns(lane, ordinal) WHERE suspect = 1;
  CREATE INDEX turns_unfinished ON turns(line, ordinal) WHERE status <> 'finished';
  CREATE INDEX turns_of_thread ON turns(thread, namespace, ordinal);
  CREATE INDEX turns_of_namespace ON turns(namespace, ordinal);
  CREATE INDEX turns_of_namespace_by_time ON turns(namespace, accepted_at);
  CREATE INDEX turns_of_author_by_time ON turns(author_id, accepted_at);
  CREATE INDEX turns_detailed ON turns(finished_at) WHERE details = 1 AND status = 'finished';

  CREATE TABLE lanes (
    lane TEXT NOT NULL,
    namespace TEXT NOT NULL,
    ready INTEGER,
    PRIMARY KEY (lane, namespace)
  ) WITHOUT ROWID;
  CREATE INDEX lanes_ready ON lanes(lane, ready) WHERE ready IS NOT NULL;

  CREATE TABLE events (
    turn_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    texts TEXT,
    PRIMARY KEY (turn_id, seq)
  ) WITHOUT ROWID;
  CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    uses INTEGER NOT NULL DEFAULT 0,
    text TEXT NOT NULL
  );
  CREATE TRIGGER texts_named AFTER INSERT ON events WHEN NEW.texts IS NOT NULL BEGIN
    UPDATE texts SET uses = uses + 1 WHERE id IN (SELECT value FROM json_each(NEW.texts));
  END;
  CREATE TRIGGER texts_unnamed AFTER DELETE ON events WHEN OLD.texts IS NOT NULL BEGIN
    UPDATE texts SET uses = uses - 1 WHERE id IN (SELECT value FROM json_each(OLD.texts));
    DELETE FROM texts WHERE uses = 0 AND id IN (SELECT value FROM json_each(OLD.texts));
  END;

  CREATE TABLE signals (
    id INTEGER PRIMARY KEY,
    turn_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX signals_of_turn ON signals(turn_id, id);

  CREATE TABLE threads (
    namespace TEXT NOT NULL,
    thread TEXT NOT NULL,
    title TEXT NOT NULL,
    root TEXT,
    turns INTEGER NOT NULL,
    unfinished INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    deletions INTEGER NOT NULL DEFAULT 0,
    opened INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, thread)
  ) WITHOUT ROWID;
  CREATE INDEX threads_by_activity ON threads(namespace, last_at);

  CREATE TABLE namespaces (namespace TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);
  CREATE TABLE life (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    after_crash INTEGER NOT NULL,
    at_once INTEGER NOT NULL
  );

  CREATE TABLE due_entries (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    shown_in TEXT,
    kind TEXT NOT NULL,
    due_at INTEGER,
    value TEXT NOT NULL
  );
  CREATE INDEX due_entries_by_time ON due_entries(due_at, ordinal) WHERE due_at IS NOT NULL;
  CREATE INDEX due_entries_of_namespace ON due_entries(namespace, ordinal);
  CREATE INDEX due_entries_shown_in ON due_entries(shown_in, ordinal) WHERE shown_in IS NOT NULL;
  `,
};

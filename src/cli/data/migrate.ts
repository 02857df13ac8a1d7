import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Config } from "../../config/schema.ts";
import { type DataFolderLock, lockDataFolder } from "../../storage/data-folder.ts";
import { type MigrationResult, migrateStores } from "../../storage/migrate/migrate-stores.ts";
import { openDatabaseAlone } from "../../wiring/open-postgres-stores.ts";
import { systemClock } from "../../wiring/system-clock.ts";
import { readConfig } from "../bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type GlobalOptions } from "../command-context.ts";

/**
 * `knack migrate`: copies the SQLite data of the data folder to PostgreSQL. No bot may run on either side. Exit code 0 if everything is
 * there, also if it had been before.
 * @param options `to`: address of the database
 */
export async function migrate(
  context: CommandContext,
  options: GlobalOptions & { to?: string },
): Promise<number> {
  const env = options.to === undefined ? context.env : { ...context.env, DATABASE_URL: options.to };
  const { config } = await readConfig({ ...context, env }, options);
  const { folder, database_url: url } = config.data;
  if (url === undefined)
    throw new CommandError("Say where to: --to postgresql://USER:PASSWORD@HOST/DATABASE", exitCode.usage);
  if (!existsSync(folder))
    throw new CommandError(`There is no data folder ${folder}. Name that of the bot with KNACK_DATA.`);
  const lock = await lockUnusedFolder(folder, "copied");
  try {
    const { place, result } = await migrateTo(url, folder, context);
    for (const line of summaryOf(result, place, config)) context.out.line(line);
    return exitCode.ok;
  } finally {
    await lock.release();
  }
}

/** Locks a data folder that no bot may use. @throws CommandError, which says that nothing was done */
export async function lockUnusedFolder(folder: string, did: string): Promise<DataFolderLock> {
  const lock = await lockDataFolder(folder);
  if (!("holder" in lock)) return lock;
  const { holder } = lock;
  const who = holder === undefined ? "Another process" : `A bot (process ${holder.pid}, at ${holder.url})`;
  throw new CommandError(
    `${who} uses the data folder ${folder}. Nothing was ${did}. Stop it and run this again.`,
  );
}

async function migrateTo(url: string, folder: string, context: CommandContext) {
  const closers: (() => Promise<unknown>)[] = [];
  let taken: Error | undefined;
  const report = createProgress(context);
  try {
    const { connection, source } = await openDatabaseAlone(
      { url, folder, clock: systemClock },
      {
        closers,
        upgraded: ({ path, copy }) => void context.out.note(`Upgraded ${path}; a copy is in ${copy}.`),
      },
      randomUUID(),
      (error) => {
        taken = error;
      },
    );
    const progress: typeof report = (...step) => {
      if (taken !== undefined) throw taken;
      report(...step);
    };
    const result = await migrateStores({ folder, source, connection, now: context.clock.now, progress });
    return { place: connection.place, result };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Minimum time between two lines of progress, ms. */
const progressMs = 3_000;

function createProgress({ out, clock }: CommandContext) {
  let toldAt = clock.now();
  return (what: string, done: number, total: number) => {
    if (clock.now() - toldAt < progressMs) return;
    toldAt = clock.now();
    out.note(`${what}: ${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}`);
  };
}

/** What people call the rows of the tables. */
const names: Readonly<Record<string, string>> = {
  turns: "turns",
  events: "events of turns",
  threads: "threads",
  signals: "signals",
  due_entries: "schedules",
  kv: "settings, memory and tokens",
  documents: "documents",
  messages: "messages",
  files: "files",
};

function summaryOf(
  { known, finished_at, rows }: MigrationResult,
  place: string,
  { data, secret_key }: Config,
): string[] {
  const next = "Next: start the bot with DATABASE_URL and the same data folder: DATABASE_URL=… npm start";
  const at = new Date(finished_at).toISOString();
  if (known) return [`${data.folder} was migrated to ${place} at ${at}. Nothing was changed.`, next];
  const counts = Object.entries(names).map(
    ([name, words]) => `  ${words}: ${(rows[name] ?? 0).toLocaleString("en-US")}`,
  );
  return [
    `Everything is in ${place}, and every thread was compared:`,
    ...counts,
    `Still in ${data.folder}, where the bot needs them: working folders of threads, installed skills and flows, prepared packages.`,
    secret_key === undefined
      ? "Tokens stay encrypted with secret.key, which is there, too: keep it."
      : "Tokens stay encrypted with KNACK_SECRET_KEY: keep it as it is.",
    "The SQLite files there are unchanged; the bot no longer uses them with DATABASE_URL.",
    next,
  ];
}

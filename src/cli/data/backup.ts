import { makeBackup } from "../../storage/backup/make-backup.ts";
import { restoreBackup } from "../../storage/backup/restore-backup.ts";
import { readConfig } from "../bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type GlobalOptions } from "../command-context.ts";
import { lockUnusedFolder } from "./migrate.ts";

/** `knack backup`: everything in the data folder in one new file, also while a bot runs. */
export async function backup(context: CommandContext, file: string, options: GlobalOptions): Promise<number> {
  const { folder, store, hasOwnKey } = await target(context, options);
  const say = (line: string) => context.out.line(line);
  if (store === "postgresql")
    say(
      'The database is not in the backup. Back it up, too, and first: pg_dump --format=custom --schema=knack --file=knack.dump "$DATABASE_URL"',
    );
  const stopped = new AbortController();
  const unlisten = context.onSignal(["SIGINT", "SIGTERM"], () =>
    stopped.abort(new CommandError("Stopped: no backup was made.", exitCode.stopped)),
  );
  try {
    const made = { store, now: context.clock.now(), signal: stopped.signal };
    const { size, leftOut } = await makeBackup(folder, file, made);
    say(`Backed up ${folder} to ${file} (${Math.ceil(size / 1_000_000)} MB).`);
    say(
      hasOwnKey
        ? "It holds conversations: keep it where only you can read it. KNACK_SECRET_KEY, which stored tokens need, is not in it: keep it, too."
        : "It holds conversations and the key of stored tokens: keep it where only you can read it.",
    );
    say("The configuration and the environment are not in it.");
    for (const path of leftOut)
      say(`Left out, because it cannot be read or is a link that leads out: ${path}`);
    return exitCode.ok;
  } finally {
    unlisten();
  }
}

/** `knack restore`: the content of a backup in the data folder, which no bot may use. */
export async function restore(
  context: CommandContext,
  file: string,
  options: GlobalOptions & { replace?: true },
): Promise<number> {
  const { folder, store } = await target(context, options);
  const lock = await lockUnusedFolder(folder, "restored");
  try {
    const { made_at } = await restoreBackup(folder, file, { store, replace: options.replace === true });
    context.out.line(`Restored ${folder} as of ${new Date(made_at).toISOString()}.`);
    if (store === "postgresql")
      context.out.line(
        'Restore the database, too: pg_restore --clean --if-exists --dbname="$DATABASE_URL" knack.dump',
      );
    return exitCode.ok;
  } finally {
    await lock.release();
  }
}

async function target(context: CommandContext, options: GlobalOptions) {
  const { config } = await readConfig(context, options);
  const store = config.data.database_url === undefined ? "sqlite" : "postgresql";
  return { folder: config.data.folder, store, hasOwnKey: config.secret_key !== undefined } as const;
}

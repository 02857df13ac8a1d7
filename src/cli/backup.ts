import { loadConfig } from "../config/load-config.ts";
import { makeBackup } from "../storage/backup/make-backup.ts";
import { restoreBackup } from "../storage/backup/restore-backup.ts";
import { lockDataFolder } from "../storage/data-folder.ts";
import {
  type CommandContext,
  CommandError,
  exitCode,
  type GlobalOptions,
  printLine,
} from "./command-context.ts";

async function target(context: CommandContext, options: GlobalOptions) {
  const { config } = await loadConfig({ file: options.config, env: context.env, cwd: context.cwd });
  const store = config.data.database_url === undefined ? "sqlite" : "postgresql";
  return { folder: config.data.folder, store, hasOwnKey: config.secret_key !== undefined } as const;
}

/** `knack backup`: everything in the data folder in one new file, also while a bot runs. */
export async function backup(context: CommandContext, file: string, options: GlobalOptions): Promise<number> {
  const { folder, store, hasOwnKey } = await target(context, options);
  const size = await makeBackup(folder, file, { store, now: context.clock.now() });
  printLine(context, `Backed up ${folder} to ${file} (${Math.ceil(size / 1_000_000)} MB).`);
  const key = hasOwnKey ? "" : " and the key of stored tokens";
  printLine(context, `It holds conversations${key}: keep it where only you can read it.`);
  if (hasOwnKey)
    printLine(context, "KNACK_SECRET_KEY, which stored tokens need, is not in it: keep it, too.");
  printLine(context, "The configuration and the environment are not in it.");
  if (store === "postgresql")
    printLine(
      context,
      'The database is not in it. Back it up, too, and before the folder: pg_dump --format=custom --schema=knack --file=knack.dump "$DATABASE_URL"',
    );
  return exitCode.ok;
}

export interface RestoreOptions extends GlobalOptions {
  replace?: true;
}

/** `knack restore`: the content of a backup in the data folder, which no bot may use. */
export async function restore(
  context: CommandContext,
  file: string,
  options: RestoreOptions,
): Promise<number> {
  const { folder, store } = await target(context, options);
  const lock = await lockDataFolder(folder, {});
  if ("holder" in lock) {
    const who =
      lock.holder === undefined
        ? "Another process"
        : `A bot (process ${lock.holder.pid}, at ${lock.holder.url})`;
    throw new CommandError(
      `${who} uses the data folder ${folder}. Nothing was restored. Stop it and run this again.`,
    );
  }
  try {
    const { made_at } = await restoreBackup(folder, file, { store, replace: options.replace === true });
    printLine(context, `Restored ${folder} as of ${new Date(made_at).toISOString()}.`);
    return exitCode.ok;
  } finally {
    await lock.release();
  }
}

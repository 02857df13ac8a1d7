import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FileStore } from "../../core/ports/storage.ts";
import { createDiskFileStore } from "../disk-file-store.ts";
import { keyValueFormat } from "../keyv-store.ts";
import { openSqliteToRead, type SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { knowledgeFormat } from "../sqlite/sqlite-knowledge.ts";
import { messageIndexFormat } from "../sqlite/sqlite-message-index.ts";
import { turnLogFormat } from "../sqlite/turn-log-schema.ts";
import { MigrationError } from "./migration-record.ts";

/** The SQLite files of a data folder. */
const formats = {
  "turns.db": turnLogFormat,
  "state.db": keyValueFormat,
  "knowledge.db": knowledgeFormat,
  "messages.db": messageIndexFormat,
};

/** Name of a SQLite file of a data folder. */
export type SourceFile = keyof typeof formats;

/** The stores of a data folder, to be read. Nothing in them changes: this process has locked the folder. */
export interface MigrationSource {
  database(file: SourceFile): SqliteConnection;
  /** The folder of the files of turns. */
  readonly filesFolder: string;
  readonly files: FileStore;
  /** Differs once a bot has used the data folder again. */
  readonly state: string;
  close(): Promise<void>;
}

/** @throws StorageError, MigrationError if the folder has no stores */
export function openSource(folder: string): MigrationSource {
  const names = Object.keys(formats) as SourceFile[];
  const missing = names.find((name) => !existsSync(join(folder, name)));
  if (missing !== undefined)
    throw new MigrationError(
      `${folder} has no ${missing}, so there is nothing to migrate. Name the data folder of the bot with KNACK_DATA.`,
    );
  const opened = new Map<SourceFile, SqliteConnection>();
  const state = names.map((name) => stateOf(join(folder, name))).join();
  const close = async () => {
    for (const connection of opened.values()) await connection.close();
  };
  const database = (name: SourceFile) => {
    const connection = opened.get(name) ?? openSqliteToRead(join(folder, name), formats[name]);
    opened.set(name, connection);
    return connection;
  };
  const filesFolder = join(folder, "files");
  return { database, filesFolder, files: createDiskFileStore(filesFolder), state, close };
}

/** Sizes and times of a database and of its write-ahead log, which is empty or missing after a bot has stopped. */
function stateOf(path: string): string {
  const parts = [path, `${path}-wal`].map((each) => statSync(each, { throwIfNoEntry: false }));
  return parts
    .map((part) => (part === undefined || part.size === 0 ? "" : `${part.size}@${part.mtimeMs}`))
    .join("+");
}

/** A data folder on the disk as the bot opens it, and the search for what is left in it. */
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scopeKeyValue } from "../../../src/core/ports/storage.ts";
import { createDiskFileStore } from "../../../src/storage/disk-file-store.ts";
import { createDiskWorkingFolders } from "../../../src/storage/folders/disk-working-folders.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { sealKeyValue } from "../../../src/storage/sealed-key-value.ts";
import { createSecretKey } from "../../../src/storage/secret-key.ts";
import { openSqliteKnowledge } from "../../../src/storage/sqlite/sqlite-knowledge.ts";
import { openSqliteMessageIndex } from "../../../src/storage/sqlite/sqlite-message-index.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";

/** A data folder that is gone with the process. */
export function newDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "knack-data-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens everything that a bot keeps in its data folder, under the names that it gives it. */
export async function openDataFolder(folder: string) {
  const log = await openSqliteTurnLog(join(folder, "turns.db"));
  const index = await openSqliteMessageIndex(join(folder, "messages.db"));
  const knowledge = await openSqliteKnowledge(join(folder, "knowledge.db"));
  const store = await openKeyValue(join(folder, "state.db"));
  const sealed = sealKeyValue(store, createSecretKey(folder, undefined));
  return {
    log,
    index,
    knowledge,
    store,
    due: log.due,
    sealed: { webhooks: scopeKeyValue(sealed, "webhook:"), logins: scopeKeyValue(sealed, "mcp-login:") },
    files: createDiskFileStore(join(folder, "files")),
    folders: createDiskWorkingFolders(join(folder, "threads"), { maxBytes: 50_000_000 }),
    async close() {
      for (const each of [log, index, knowledge, store]) await each.close();
    },
  };
}
export type DataFolder = Awaited<ReturnType<typeof openDataFolder>>;

/**
 * Where the words stand, `file: word`: in the name or the bytes of any file, free pages and write-ahead logs among them, as UTF-8, UTF-16, hex
 * or base64; in the words of a full-text index, which keeps only what differs from the word before; and in values that are encrypted. Nothing
 * that the bot keeps is compressed.
 */
export async function wordsIn(folder: string, words: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const look = (where: string, has: (word: string) => boolean) => {
    for (const word of words) if (has(word)) found.add(`${where}: ${word}`);
  };
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of all) {
    const path = join(entry.parentPath, entry.name);
    const shown = relative(folder, path);
    look(shown, (word) => shown.includes(word));
    if (!entry.isFile()) continue;
    const bytes = await readFile(path);
    look(shown, (word) => formsOf(word).some((form) => bytes.includes(form)));
  }
  await inCopy(folder, async (copy) => {
    for (const name of (await readdir(copy)).filter((each) => each.endsWith(".db")))
      for (const term of indexedWords(join(copy, name)))
        look(`${name} (index)`, (word) => term.includes(word.toLowerCase()));
    const secret = createSecretKey(copy, undefined);
    const store = await openKeyValue(join(copy, "state.db"));
    for await (const key of store.keys("")) {
      const value = await store.get(key);
      if (typeof value !== "object" || value === null || !("sealed" in value)) continue;
      const text = JSON.stringify(await sealKeyValue(store, secret).get(key));
      look(`state.db (sealed ${key.split(":")[0]})`, (word) => text.includes(word));
    }
    await store.close();
  });
  return [...found].sort();
}

/** Shorter pieces occur anywhere by chance. */
const leastBase64 = 6;

/** A word as bytes. The ends of base64 depend on the adjacent bytes. */
function formsOf(word: string): Buffer[] {
  const utf8 = Buffer.from(word);
  const hex = utf8.toString("hex");
  const base64 = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), utf8]).toString("base64");
    return whole.slice(shift === 0 ? 0 : 4, whole.length - 4);
  });
  const utf16 = Buffer.from(word, "utf16le");
  return [
    ...[utf8, utf16, Buffer.from(utf16).swap16()],
    ...[hex, hex.toUpperCase()].map((text) => Buffer.from(text)),
    ...base64.filter(({ length }) => length >= leastBase64).map((text) => Buffer.from(text)),
  ];
}

/** The words of all full-text indexes of a database. */
function indexedWords(path: string): string[] {
  const database = new DatabaseSync(path);
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'")
    .all();
  const terms = tables.flatMap(({ name }, at) => {
    database.exec(`CREATE VIRTUAL TABLE temp.terms${at} USING fts5vocab(main, ${name}, row)`);
    return database.prepare(`SELECT term FROM temp.terms${at}`).all();
  });
  database.close();
  return terms.map(({ term }) => String(term));
}

async function inCopy(folder: string, work: (copy: string) => Promise<void>): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), "knack-copy-"));
  try {
    await cp(folder, copy, { recursive: true });
    await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

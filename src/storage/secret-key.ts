import { randomBytes, scrypt } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { orUndefined } from "../base/error-text.ts";
import { guarded } from "./storage-error.ts";

const keyFile = "secret.key";
const derive = promisify<string, string, number, Buffer>(scrypt);

/**
 * The key that stored tokens are encrypted with, 32 bytes: derived (scrypt) from the operator's secret, or from a random text in the file
 * `secret.key` of the data folder (0600), which is created at the first use. Derived once. The returned function throws StorageError when
 * the file cannot be read or created.
 */
export function createSecretKey(folder: string, given: string | undefined): () => Promise<Uint8Array> {
  let key: Promise<Uint8Array> | undefined;
  const make = async () =>
    derive(given ?? (await readOrMakeRandomText(join(folder, keyFile))), "knack stored secrets", 32);
  return () => {
    key ??= make().catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    return key;
  };
}

/**
 * The random text of a file, which is made at the first use: 64 hexadecimal digits, for this user alone. The file appears complete or not at
 * all, and of several processes that make it at once, one does: all get its text. @throws StorageError
 */
export function readOrMakeRandomText(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  return guarded(file, async () => {
    const known = await orUndefined(readFile(file, "utf8"), "ENOENT");
    if (known !== undefined) return known.trim();
    const text = `${randomBytes(32).toString("hex")}\n`;
    // A power loss must not leave an empty file: what is encrypted with its text would be lost.
    await writeFile(draft, text, { mode: 0o600, flag: "wx", flush: true });
    await orUndefined(link(draft, file), "EEXIST");
    await rm(draft);
    return (await readFile(file, "utf8")).trim();
  });
}

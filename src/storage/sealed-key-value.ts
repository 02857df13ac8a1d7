import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { parseExactly } from "../base/exact-number.ts";
import type { KeyValue } from "../core/ports/storage.ts";
import type { Json } from "../core/values/json.ts";

/** AES-256-GCM: 32 bytes of key, 12 bytes of nonce, 16 bytes of tag (NIST SP 800-38D). */
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** A stored value cannot be decrypted: it was encrypted with another key, or changed since. */
export class SealedValueError extends Error {
  readonly code = "cannot_open";
  constructor(key: string, options?: { cause?: unknown }) {
    super(
      `The stored secret ${key} cannot be opened: it was encrypted with another key, or changed since. Give the bot the key it ` +
        "was stored with (KNACK_SECRET_KEY, or secret.key in the data folder), or connect again to store a new one.",
      options,
    );
  }
}

/**
 * A view of a store whose values are encrypted, each bound to the name of its key. Without the secret, a reader of the store learns only
 * names and sizes, and cannot swap values. @param secret 32 bytes, requested at the first use
 */
export function sealKeyValue(store: KeyValue, secret: () => Promise<Uint8Array>): KeyValue {
  return {
    async get(key) {
      const sealed = await store.get(key);
      return sealed === undefined ? undefined : open(await secret(), key, sealed);
    },
    set: async (key, value) => store.set(key, seal(await secret(), key, value)),
    delete: (key) => store.delete(key),
    keys: (prefix) => store.keys(prefix),
    async update<T extends Json>(key: string, change: (value: T | undefined) => T): Promise<T> {
      const password = await secret();
      const updated = await store.update<Json>(key, (sealed) =>
        seal(password, key, change(sealed === undefined ? undefined : (open(password, key, sealed) as T))),
      );
      return open(password, key, updated) as T;
    },
    scrub: () => store.scrub(),
    close: () => store.close(),
  };
}

function seal(secret: Uint8Array, key: string, value: Json): Json {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(key));
  const body = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64") };
}

function open(secret: Uint8Array, key: string, stored: Json): Json {
  const text = (stored as { sealed?: unknown } | null)?.sealed;
  if (typeof text !== "string") throw new SealedValueError(key);
  const bytes = Buffer.from(text, "base64");
  try {
    const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(key))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const body = bytes.subarray(nonceBytes + tagBytes);
    return parseExactly(Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8")) as Json;
  } catch (cause) {
    throw new SealedValueError(key, { cause });
  }
}

import { Buffer } from "node:buffer";
import { safeMediaType } from "../../../src/base/file-kind.ts";
import { KeyedMutex } from "../../../src/base/keyed-mutex.ts";
import type { MessageIndex } from "../../../src/core/ports/chat-actions.ts";
import type { Knowledge } from "../../../src/core/ports/services.ts";
import type { FileStore, NewFile } from "../../../src/core/ports/storage.ts";
import { openSqliteInMemory } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { createKnowledge, knowledgeFormat } from "../../../src/storage/sqlite/sqlite-knowledge.ts";
import { createMessageIndex, messageIndexFormat } from "../../../src/storage/sqlite/sqlite-message-index.ts";
import { nameFor } from "../../../src/storage/stored-names.ts";

/** A file store in memory. Its content is lost with the process. */
export function createMemoryFileStore(): FileStore {
  const turns = new Map<string, Map<string, NewFile>>();
  const changed = new Map<string, number>();
  const busy = new KeyedMutex();
  return {
    put: (turnId, { name, media_type, data }, replaces) =>
      busy.run(turnId, async () => {
        const files = turns.get(turnId) ?? new Map<string, NewFile>();
        turns.set(turnId, files);
        changed.set(turnId, Date.now());
        const file = { media_type: safeMediaType(media_type), data: Uint8Array.from(data) };
        const own = await nameFor({ name }, replaces, (wanted) => {
          const there = files.get(wanted);
          if (there === undefined) return false;
          return there.media_type !== file.media_type || Buffer.compare(there.data, file.data) !== 0;
        });
        files.set(own, { name: own, ...file });
        return { name: own, media_type: file.media_type, bytes: file.data.byteLength };
      }),
    async get(turnId, name) {
      const found = turns.get(turnId)?.get(name);
      if (found === undefined) return undefined;
      const { media_type, data } = found;
      return { file: { name, media_type, bytes: data.byteLength }, data: Uint8Array.from(data) };
    },
    async remove(turnId, name) {
      turns.get(turnId)?.delete(name);
    },
    async forget(turnId) {
      turns.delete(turnId);
      changed.delete(turnId);
    },
    async *turns() {
      for (const [turn_id, changed_at] of changed) yield { turn_id, changed_at };
    },
    scrub: async () => {},
  };
}

/** The store in memory; its content is lost with the process. */
export function createMemoryKnowledge(): Knowledge {
  return createKnowledge(openSqliteInMemory(knowledgeFormat));
}

/** The index in memory; its content is lost with the process. */
export function createMemoryMessageIndex(): MessageIndex {
  return createMessageIndex(openSqliteInMemory(messageIndexFormat));
}

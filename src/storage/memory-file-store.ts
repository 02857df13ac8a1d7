import { Buffer } from "node:buffer";
import type { FileStore, NewFile } from "../core/ports/storage.ts";
import { numberedFileName, safeFileName, safeMediaType } from "../core/values/file-kind.ts";

/** A file store in memory. Its content is lost with the process. */
export function createMemoryFileStore(): FileStore {
  const turns = new Map<string, Map<string, NewFile>>();
  const changed = new Map<string, number>();
  return {
    async put(turnId, { name, media_type, data }, replaces) {
      const files = turns.get(turnId) ?? new Map<string, NewFile>();
      turns.set(turnId, files);
      changed.set(turnId, Date.now());
      const wanted = safeFileName(replaces ?? name);
      const file = { media_type: safeMediaType(media_type), data: Uint8Array.from(data) };
      let free = wanted;
      for (let number = 2; replaces === undefined && files.has(free); number += 1) {
        const there = files.get(free);
        const isSame = there?.media_type === file.media_type && Buffer.compare(there.data, file.data) === 0;
        if (isSame) break;
        free = numberedFileName(wanted, number);
      }
      files.set(free, { name: free, ...file });
      return { name: free, media_type: file.media_type, bytes: file.data.byteLength };
    },
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
  };
}

import type { MessageIndex } from "../core/ports/chat-actions.ts";
import { openSqliteInMemory } from "./sqlite/sqlite-connection.ts";
import { createMessageIndex, messageIndexMigrations } from "./sqlite/sqlite-message-index.ts";

/** The index in memory; its content is lost with the process. For tests and benchmarks. */
export function createMemoryMessageIndex(): MessageIndex {
  return createMessageIndex(openSqliteInMemory(messageIndexMigrations));
}

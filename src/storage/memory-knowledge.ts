import type { Knowledge } from "../core/ports/services.ts";
import { openSqliteInMemory } from "./sqlite/sqlite-connection.ts";
import { createKnowledge, knowledgeMigrations } from "./sqlite/sqlite-knowledge.ts";

/** The store in memory; its content is lost with the process. For tests and benchmarks. */
export function createMemoryKnowledge(): Knowledge {
  return createKnowledge(openSqliteInMemory(knowledgeMigrations));
}

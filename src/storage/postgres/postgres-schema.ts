import { fileTables } from "./postgres-file-store.ts";
import { keyValueTables } from "./postgres-key-value.ts";
import { knowledgeTables } from "./postgres-knowledge.ts";
import { leaseTables } from "./postgres-leases.ts";
import { messageTables } from "./postgres-message-index.ts";
import { turnLogTables } from "./turn-log/turn-log-tables.ts";

/**
 * The formats of the schema that all stores share: entry n leads from version n to n + 1. A step only adds: processes of the version before
 * go on while it is taken. What nothing uses any more is dropped by a later version.
 */
export const postgresMigrations: readonly string[] = [
  [keyValueTables, fileTables, messageTables, knowledgeTables, leaseTables, turnLogTables].join("\n"),
];

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { keyValueContract } from "./key-value-contract.ts";

let folder: string;
let opened = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-key-value-"));
});
afterAll(() => rm(folder, { recursive: true }));

keyValueContract("the key-value store in memory", async () => createMemoryKeyValue());
keyValueContract("the key-value store in SQLite", () => openKeyValue(join(folder, `${opened++}.db`)));

import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDiskFileStore } from "../../../src/storage/disk-file-store.ts";
import { createMemoryFileStore } from "../../support/fakes/memory-stores.ts";
import { fileStoreContract } from "./file-store-contract.ts";

let folder: string;
let opened = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

fileStoreContract("the file store in memory", async () => createMemoryFileStore());
fileStoreContract("the file store on disk", async () => createDiskFileStore(join(folder, `${opened++}`)));

it("a file store on disk keeps files for this user only, and leaves no drafts", async () => {
  const root = join(folder, "modes");
  const data = new TextEncoder().encode("secret");
  await createDiskFileStore(root).put("turn-1", { name: "a.txt", media_type: "text/plain", data });
  const inTurn = join(root, "turn-1");
  expect((await stat(inTurn)).mode & 0o777).toBe(0o700);
  expect((await stat(join(inTurn, "a.txt"))).mode & 0o777).toBe(0o600);
  expect((await readdir(inTurn)).toSorted()).toEqual([".a.txt.type", "a.txt"]);
  expect((await createDiskFileStore(root).get("turn-1", "a.txt"))?.data).toBeDefined();
});

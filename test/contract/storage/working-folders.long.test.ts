import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createDiskWorkingFolders } from "../../../src/storage/folders/disk-working-folders.ts";
import { workingFolderLimitsContract } from "./working-folder-runs-contract.ts";
import { maxBytes } from "./working-folders-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "knack-folders-"));
let opened = 0;
afterAll(() => rmSync(folder, { recursive: true }));

workingFolderLimitsContract("working folders on disk", () => {
  opened += 1;
  const root = join(folder, String(opened));
  return { root, open: () => createDiskWorkingFolders(root, { maxBytes }) };
});

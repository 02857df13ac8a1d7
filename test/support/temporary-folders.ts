import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkingFolders } from "../../src/core/ports/working-folder.ts";
import { createDiskWorkingFolders } from "../../src/storage/folders/disk-working-folders.ts";

const temporary = join(tmpdir(), `knack-test-${process.pid}-${randomUUID()}`);
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));

/** Working folders that vanish with the process that tests run in. */
export function temporaryFolders(maxBytes?: number): WorkingFolders {
  return temporaryDisk(maxBytes).open();
}

/** The same, each time as another process of the bot opens them. */
export function temporaryDisk(maxBytes = 500_000_000): { open(): WorkingFolders } {
  const folder = join(temporary, randomUUID());
  return { open: () => createDiskWorkingFolders(folder, { maxBytes }) };
}

import type { WorkingFolder, WorkingFolders } from "../../../src/core/ports/working-folder.ts";

/** Folders in which nothing ever is, for tests whose clock runs faster than a disk. */
export const noFolders: WorkingFolders = {
  of: () => emptyFolder,
  async *all() {},
};

const never = () => Promise.reject(new Error("no working folder in this test"));

const emptyFolder: WorkingFolder = {
  attach: never,
  list: async () => ({ files: [], bytes: 0, most_bytes: 0 }),
  open: async () => undefined,
  use: never,
  write: never,
  interrupted: async () => [],
  handOver: async () => [],
  remove: async () => false,
  forget: async () => ({ removed: [], made_from_them: [] }),
  clear: async () => {},
};

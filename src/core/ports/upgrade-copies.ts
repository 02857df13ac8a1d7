/** Copies of databases as they were before an upgrade: the way back. They have everything that was stored until then. */
export interface UpgradeCopies {
  /**
   * Deletes them, or with `dryRun` only names them: all, or those made before a time (ms since the epoch). Answers the names of their
   * files.
   */
  remove(options?: { before?: number; dryRun?: boolean }): Promise<string[]>;
}

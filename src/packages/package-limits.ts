export const defaultPackageLimits = {
  /** Maximum bytes of an archive, a download or a git fetch. */
  archive_bytes: 50_000_000,
  /** Maximum bytes of an archive unpacked, whether its files are read or not. */
  scanned_bytes: 500_000_000,
  /** Maximum files of a package, read or not, and the same number of folders. */
  entries: 100_000,
  /** Maximum bytes of all files that are read at once. */
  unpacked_bytes: 50_000_000,
  /** Maximum files of one skill. */
  files: 2_000,
  /** Maximum skills that are installed at once. */
  skills: 1_000,
  /** Maximum unpacked bytes for each byte of the archive. */
  expansion: 100,
  /** Maximum nesting of folders. */
  depth: 16,
  /** Maximum bytes of a path in UTF-8. */
  path_bytes: 400,
  /** ms from the first byte of a download or clone to the last. */
  fetch_ms: 120_000,
};

/** Limits of a package. */
export type PackageLimits = typeof defaultPackageLimits;

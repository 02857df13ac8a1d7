export const defaultPackageLimits = {
  /** Maximum bytes of an archive, a download or a git fetch. */
  archive_bytes: 50_000_000,
  /** Maximum bytes of all files unpacked. */
  unpacked_bytes: 50_000_000,
  /** Maximum files, and the same number of folders. */
  files: 2_000,
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

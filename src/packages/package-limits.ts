/** Limits of a package. */
export interface PackageLimits {
  /** Maximum bytes of an archive, a download or a git fetch. */
  archive_bytes: number;
  /** Maximum bytes of all files unpacked. */
  unpacked_bytes: number;
  /** Maximum files, and the same number of folders. */
  files: number;
  /** Maximum unpacked bytes for each byte of the archive. */
  expansion: number;
  /** Maximum nesting of folders. */
  depth: number;
  /** Maximum bytes of a path in UTF-8. */
  path_bytes: number;
  /** ms from the first byte of a download or clone to the last. */
  fetch_ms: number;
}

export const defaultPackageLimits: PackageLimits = {
  archive_bytes: 50_000_000,
  unpacked_bytes: 50_000_000,
  files: 2_000,
  expansion: 100,
  depth: 16,
  path_bytes: 400,
  fetch_ms: 120_000,
};

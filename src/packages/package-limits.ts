/** What a package may be at most. */
export interface PackageLimits {
  /** Bytes of an archive, a download or what git fetches. */
  archive_bytes: number;
  /** Bytes of all files unpacked. */
  unpacked_bytes: number;
  /** Files, and as many folders. */
  files: number;
  /** Unpacked bytes for each byte of the archive. */
  expansion: number;
  /** Folders above a file. */
  depth: number;
  /** Bytes of a path in UTF-8. */
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

import { errorText } from "../base/error-text.ts";
import { StoreFailure } from "../core/ports/storage.ts";

export type StorageErrorCode =
  /** The file is damaged, or is not one of Knack's. */
  | "corrupt"
  /** Another process holds it. */
  | "locked"
  | "full"
  /** Another version of Knack wrote it, in a format that this one does not read. */
  | "other_format"
  /** It cannot be opened, read or written. */
  | "unavailable";
type EnvironmentCode = Exclude<StorageErrorCode, "other_format">;

/**
 * A store could not be read or written; nothing of the refused write was kept. Only a connection to a server that is lost during a write
 * leaves this unknown, and the message says so. The message is for an operator.
 */
export class StorageError extends StoreFailure {
  readonly code: StorageErrorCode;
  /** Path of the file, or name and host of the database. */
  readonly path: string;
  /** Whether the same may succeed in a moment (`isTemporaryFailure`). */
  readonly isTemporary: boolean;
  constructor(
    code: StorageErrorCode,
    path: string,
    message: string,
    { isTemporary = false, ...options }: { cause?: unknown; isTemporary?: boolean | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.path = path;
    this.isTemporary = isTemporary;
  }
}

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html; `errcode` carries extended ones above the low byte. */
const codeOfSqliteResult = new Map<number, EnvironmentCode>([
  [3, "unavailable"], // SQLITE_PERM
  [5, "locked"], // SQLITE_BUSY
  [6, "locked"], // SQLITE_LOCKED
  [8, "unavailable"], // SQLITE_READONLY
  [10, "unavailable"], // SQLITE_IOERR
  [11, "corrupt"], // SQLITE_CORRUPT
  [13, "full"], // SQLITE_FULL
  [14, "unavailable"], // SQLITE_CANTOPEN
  [26, "corrupt"], // SQLITE_NOTADB
]);

/** The error as a `StorageError` if the environment is to blame; a bug stays as it is. */
export function toStorageError(error: unknown, path: string): unknown {
  const code = storageCodeOf(error);
  if (code === undefined) return error;
  const reason = errorText(error);
  return new StorageError(code, path, `${explain(code, path)} (${reason})`, { cause: error });
}

/** The result of work on the store at a path; its errors are as `toStorageError` makes them. */
export async function guarded<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStorageError(error, path);
  }
}

function storageCodeOf(error: unknown): EnvironmentCode | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof SyntaxError) return "corrupt"; // a stored value that is no JSON
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === "number") return codeOfSqliteResult.get(errcode & 0xff);
  if (code === "ENOSPC" || code === "EDQUOT") return "full";
  // ERR_INVALID_STATE: the database was closed.
  const environmental = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "EIO", "ERR_INVALID_STATE"];
  return environmental.some((one) => one === code) ? "unavailable" : undefined;
}

function explain(code: EnvironmentCode, path: string): string {
  switch (code) {
    case "corrupt":
      return `The store ${path} is damaged or is not a Knack store. Move the file away to start with an empty one, or restore it from a backup`;
    case "locked":
      return `The store ${path} is held by another process. Stop that process, or give this one another data folder (KNACK_DATA)`;
    case "full":
      return `There is no disk space left to write ${path}; nothing was stored. Free disk space and try again`;
    case "unavailable":
      return `The store ${path} cannot be opened or written. Check that its folder exists and that this user may write there, or use another data folder (KNACK_DATA)`;
    default:
      return code satisfies never;
  }
}

/** A file of a format that this program does not read, and its newest copy that it reads. */
export function otherFormatError(
  path: string,
  { found, known, copy, version }: { found: number; known: number; copy?: string; version?: number },
): StorageError {
  const back =
    copy === undefined
      ? ""
      : `. A copy from before the upgrade is at ${copy} (format ${version}): to go back to it, and lose what was stored since, move ${path} away together with its -wal and -shm files, and give the copy its name`;
  const message = `The store ${path} has format ${found}, and this version of Knack reads ${known}: start with a new data folder (KNACK_DATA), or run the version that wrote it${back}`;
  return new StorageError("other_format", path, message);
}

/** The disk has too little space for the copy that is made before an upgrade. */
export function noRoomForCopyError(path: string, needed: number, free: number): StorageError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  const message = `There is too little disk space for a copy of ${path} from before its upgrade: it takes ${megabytes(needed)}, and ${megabytes(free)} are free. Nothing was changed. Free disk space and start again`;
  return new StorageError("full", path, message);
}

/** A turn without its entry 0. */
export function lostEntryError(path: string, turnId: string): StorageError {
  return new StorageError(
    "corrupt",
    path,
    `${explain("corrupt", path)} (turn ${turnId} has lost its first entry)`,
  );
}

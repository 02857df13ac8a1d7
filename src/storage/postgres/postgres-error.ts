import { errorText } from "../../base/error-text.ts";
import { StorageError, type StorageErrorCode } from "../storage-error.ts";

/** A reason why a database cannot be used. */
interface Reason {
  code: StorageErrorCode;
  /** The same may succeed in a moment. */
  isTemporary?: true;
  /** What happened and what to do about it, with `{place}` for the name and host of the database. */
  text: string;
  /** SQLSTATE codes, https://www.postgresql.org/docs/current/errcodes-appendix.html, and codes of the connection. */
  errors: readonly string[];
}

const unreachable: Reason = {
  code: "unavailable",
  isTemporary: true,
  text: "The database {place} cannot be reached. Check that the server runs, and that DATABASE_URL has its host and port",
  // 57P03: cannot_connect_now
  errors: "57P03 EAI_AGAIN ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOENT ENOTFOUND ETIMEDOUT".split(" "),
};
const lost: Reason = {
  code: "unavailable",
  isTemporary: true,
  text: "The connection to the database {place} was lost; whether the last change was stored is unknown. The next call connects again",
  // idle_in_transaction_session_timeout, admin_shutdown, crash_shutdown, idle_session_timeout
  errors: ["25P03", "57P01", "57P02", "57P05"],
};
const corrupt: Reason = {
  code: "corrupt",
  text: "The database {place} is damaged. Restore it from a backup",
  // data_corrupted, index_corrupted
  errors: ["XX001", "XX002"],
};
const otherReasons: readonly Reason[] = [
  {
    code: "unavailable",
    text: "The database {place} refused the login. Check the user and password in DATABASE_URL",
    // invalid_authorization_specification, invalid_password
    errors: ["28000", "28P01"],
  },
  {
    code: "unavailable",
    text: "There is no database {place}. Create it with createdb, or correct its name in DATABASE_URL",
    // invalid_catalog_name
    errors: ["3D000"],
  },
  {
    code: "unavailable",
    text: "The user of the database {place} lacks a right. Give it CREATE on the database, or make it the owner of Knack's schema",
    // insufficient_privilege
    errors: ["42501"],
  },
  {
    code: "unavailable",
    text: "The database {place} takes no changes: it is a standby, or default_transaction_read_only is on; nothing was stored. Set DATABASE_URL to the primary server",
    // read_only_sql_transaction
    errors: ["25006"],
  },
  {
    code: "unavailable",
    isTemporary: true,
    text: "The database {place} has no connection left. Raise its max_connections, or stop programs that hold connections",
    // too_many_connections
    errors: ["53300"],
  },
  {
    code: "unavailable",
    text: "The server of the database {place} is out of memory or of another resource; nothing was stored. Check its limits and log",
    // insufficient_resources, out_of_memory, io_error
    errors: ["53000", "53200", "58030"],
  },
  {
    code: "unavailable",
    text: "Something between Knack and the database {place} gives each transaction another connection. Set DATABASE_URL to the server itself, or to a pooler in session mode",
    // invalid_sql_statement_name: prepared on another connection; duplicate_prepared_statement
    errors: ["26000", "42P05"],
  },
  {
    code: "full",
    text: "There is no disk space left on the server of the database {place}; nothing was stored. Free disk space there and try again",
    // disk_full
    errors: ["53100"],
  },
  {
    code: "locked",
    isTemporary: true,
    text: "Other processes changed the same data of the database {place} again and again; nothing was stored. Try again",
    // serialization_failure, deadlock_detected, lock_not_available
    errors: ["40001", "40P01", "55P03"],
  },
];

const reasons = new Map(
  [unreachable, lost, corrupt, ...otherReasons].flatMap((reason) =>
    reason.errors.map((error) => [error, reason] as const),
  ),
);

/** A server that starts or restarts: a later attempt may succeed. */
const startingCodes = ["57P03", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENOENT"];

interface DriverError {
  code?: unknown;
  /** In the language of the server; undefined if the error does not come from it. */
  severity?: unknown;
}

/**
 * An error of the driver as a `StorageError` if the environment is to blame; a statement that is wrong stays as it is. Neither contains the
 * password. `whileConnecting`: no statement was sent.
 */
export function toPostgresError(error: unknown, place: string, whileConnecting = false): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const reason = reasonOf(error, whileConnecting);
  if (reason === undefined) return error;
  // Without a message: several addresses of one host were tried.
  const detail = errorText(error) || String((error as DriverError).code);
  const { code, text, isTemporary } = reason;
  const message = `${text.replace("{place}", () => place)} (${detail})`;
  return new StorageError(code, place, message, { cause: error, isTemporary });
}

function reasonOf(error: Error, whileConnecting: boolean): Reason | undefined {
  if (error instanceof SyntaxError) return corrupt; // a stored value that is no JSON
  const { code, severity } = error as DriverError;
  const known = reasons.get(String(code));
  if (known !== undefined || severity !== undefined) return known;
  // What the server did not say comes from the connection.
  return whileConnecting ? unreachable : lost;
}

/** Whether connecting failed because the server starts or restarts. */
export function isStarting(error: unknown): boolean {
  return error instanceof Error && startingCodes.includes(String((error as DriverError).code));
}

/** Whether a transaction failed because of another one, and succeeds when it is repeated. */
export function isConflict(error: unknown): boolean {
  const { code } = driverErrorOf(error);
  return code === "40001" || code === "40P01";
}

/** Whether the connection can be used again after this error. */
export function isConnected(error: unknown): boolean {
  if (!(error instanceof StorageError)) return true;
  const { code, severity } = driverErrorOf(error);
  return severity !== undefined && reasons.get(String(code)) !== lost;
}

/** Whether a statement failed because its connection was lost. */
export function isLost(error: unknown): boolean {
  const { cause } = error instanceof StorageError ? error : {};
  return cause instanceof Error && reasonOf(cause, false) === lost;
}

function driverErrorOf(error: unknown): DriverError {
  const driver = error instanceof StorageError ? error.cause : error;
  return driver instanceof Error ? (driver as DriverError) : {};
}

/** `DATABASE_URL` cannot be read. It is not repeated, because it may contain a password. */
export function badAddressError(): StorageError {
  const message =
    "The address of the database is not valid. Write DATABASE_URL as postgresql://user:password@host:5432/database, with special characters of the password as %XX";
  return new StorageError("unavailable", "DATABASE_URL", message);
}

export function encodingError(place: string, encoding: string): StorageError {
  const message = `The database ${place} stores text as ${encoding}, which does not have all characters. Create a database with the encoding UTF8 (createdb --encoding=UTF8 --template=template0)`;
  return new StorageError("unavailable", place, message);
}

export function closedError(place: string): StorageError {
  return new StorageError("unavailable", place, `The connection to the database ${place} was closed`);
}

/** A schema of a format that this program does not read, and its newest copy that it reads. */
export function otherSchemaError(
  place: string,
  { schema, found, known, copy }: { schema: string; found: number; known: number; copy?: string | undefined },
): StorageError {
  const back =
    copy === undefined
      ? ""
      : `. The schema ${copy} is a copy from before the upgrade: to go back to it, and lose what was stored since, stop all processes, drop the schema ${schema}, and rename the copy to ${schema}`;
  const message = `The schema ${schema} of the database ${place} has format ${found}, and this version of Knack reads ${known}: start with a new database (DATABASE_URL), or run the version that wrote it${back}`;
  return new StorageError("other_format", place, message);
}

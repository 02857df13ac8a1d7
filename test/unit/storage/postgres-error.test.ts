import { expect, it } from "vitest";
import { toPostgresError } from "../../../src/storage/postgres/postgres-error.ts";
import { StorageError, type StorageErrorCode } from "../../../src/storage/storage-error.ts";

/** As the driver throws it; `severity` is there when the server said it, in its language. */
const driverError = (
  code: string | undefined,
  severity: string | undefined,
  message = "what the driver says",
) => Object.assign(new Error(message), { code, severity });

it.each<[string, string | undefined, StorageErrorCode, RegExp]>([
  ["53100", "ERROR", "full", /no disk space left on the server.*nothing was stored\. Free disk space there/],
  ["53300", "FATAL", "unavailable", /no connection left\. Raise its max_connections/],
  ["25006", "FEHLER", "unavailable", /takes no changes.*Set DATABASE_URL to the primary/],
  ["28P01", "FATAL", "unavailable", /refused the login/],
  ["42501", "ERROR", "unavailable", /lacks a right/],
  ["26000", "ERROR", "unavailable", /a pooler in session mode/],
  ["40P01", "ERROR", "locked", /Try again/],
  ["57P01", "FATAL", "unavailable", /was lost; whether the last change was stored is unknown/],
  ["ECONNRESET", undefined, "unavailable", /was lost/],
  ["XX001", "ERROR", "corrupt", /Restore it from a backup/],
])(
  "an error %s of PostgreSQL says what happened, where and what to do",
  (code, severity, expected, message) => {
    const error = toPostgresError(driverError(code, severity), "knack on db:5432");
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ code: expected, path: "knack on db:5432" });
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain("(what the driver says)");
  },
);

it("an error of PostgreSQL before anything was sent says that the database cannot be reached", () => {
  const error = toPostgresError(driverError("ECONNREFUSED", undefined, ""), "knack on db:5432", true);
  expect(String(error)).toMatch(/cannot be reached\. Check that the server runs.*\(ECONNREFUSED\)/);
});

it.each<[string, boolean]>([
  ["57P01", true],
  ["57P03", true],
  ["53300", true],
  ["40P01", true],
  ["28P01", false],
  ["53100", false],
  ["XX001", false],
])("an error %s of PostgreSQL says whether it passes: %s", (code, isTemporary) => {
  expect(toPostgresError(driverError(code, "FATAL"), "knack on db:5432")).toMatchObject({ isTemporary });
});

it("an error of a statement stays as it is", () => {
  const error = driverError("42601", "ERROR");
  expect(toPostgresError(error, "knack on db:5432")).toBe(error);
});

/** The text of a thrown value: the message of an error, any other value as a string. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of an error (ENOENT, `timed_out`); undefined for errors without a code and for other values. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The result of work; undefined if it fails with one of these codes. */
export async function orUndefined<T>(work: Promise<T>, ...codes: readonly string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** A thrown value as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

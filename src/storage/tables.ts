/** A row as the driver of a database returns it; the caller knows the columns of its statement. */
export type Row = Record<string, unknown>;

/** A value of a parameter. Booleans, and lists for `= ANY ($1)` and `unnest`, are for PostgreSQL alone. */
export type Value =
  | string
  | number
  | boolean
  | Uint8Array
  | null
  | readonly (string | number | Uint8Array | null)[];

/**
 * The statements of one transaction, written once for every database: yields each with the values of its parameters `$1`, `$2`, …, and gets
 * its rows.
 */
export type Work<T> = Generator<readonly [sql: string, ...values: Value[]], T, readonly Row[]>;

/** The tables of a store, whatever its database. */
export interface Tables {
  all(sql: string, ...values: Value[]): readonly Row[] | Promise<readonly Row[]>;
  /** Carries out the work in one transaction; if it throws, nothing is stored. It may be begun again. */
  write<T>(work: () => Work<T>): Promise<T>;
}

/** The rows of a query that reads at most `size` of them after a row, page by page. */
export async function* inPages<T>(
  size: number,
  read: (last: T | undefined) => readonly T[] | Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let last: T | undefined; ; ) {
    const page = await read(last);
    yield* page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}

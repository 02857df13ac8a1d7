import { needs } from "../../support/needs.ts";
import { freshDatabase, tablesWith } from "../../support/postgres.ts";

/** Where a bot under test keeps its data. */
export interface StoreUnderTest {
  name: string;
  /** Options of tests that need it. */
  options: { skip?: boolean; meta?: ReturnType<typeof needs>["meta"] };
  /** The environment of a bot with a new one. */
  env(): Promise<Record<string, string>>;
  /** The tables of the latest such database that have one of these words; none for files, which are in the data folder. */
  tablesWith(words: readonly string[]): Promise<string[]>;
}

export const sqlite: StoreUnderTest = {
  name: "SQLite",
  options: {},
  env: async () => ({}),
  tablesWith: async () => [],
};

let latest = "";

const postgres: StoreUnderTest = {
  name: "PostgreSQL",
  options: needs("postgresql"),
  async env() {
    latest = await freshDatabase();
    return { DATABASE_URL: latest };
  },
  tablesWith: (words) => tablesWith(latest, words),
};

export const stores: readonly StoreUnderTest[] = [sqlite, postgres];

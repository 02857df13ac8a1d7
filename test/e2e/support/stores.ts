import { needs } from "../../support/needs.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** Where a bot under test keeps its data. */
export interface StoreUnderTest {
  name: string;
  /** Options of tests that need it. */
  options: { skip?: boolean; meta?: ReturnType<typeof needs>["meta"] };
  /** The environment of a bot with a new one. */
  env(): Promise<Record<string, string>>;
}

export const sqlite: StoreUnderTest = { name: "SQLite", options: {}, env: async () => ({}) };

const postgres: StoreUnderTest = {
  name: "PostgreSQL",
  options: needs("postgresql"),
  env: async () => ({ DATABASE_URL: await freshDatabase() }),
};

export const stores: readonly StoreUnderTest[] = [sqlite, postgres];

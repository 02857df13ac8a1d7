import { defineConfig } from "vitest/config";
import { needsReporter } from "./test/support/needs-reporter.ts";

/** Everything that needs no installed service. Real files, SQLite, HTTP and child processes; see test/e2e for the rest. */
export default defineConfig({
  test: {
    include: ["test/{unit,contract,replay}/**/*.test.ts"],
    testTimeout: 15_000,
    hookTimeout: 15_000,
    maxWorkers: 2,
    reporters: ["default", needsReporter((line) => process.stdout.write(line))],
  },
});

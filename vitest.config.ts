import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { builtEntries } from "./.ci/build.ts";
import { needsReporter } from "./test/support/needs-reporter.ts";
import { priceReporter } from "./test/support/price-reporter.ts";

const write = (line: string) => process.stdout.write(line);

/** Tests that cannot share a process: they load vega-lite, which adds a method to `Set`. */
const apart = ["test/unit/charts/**/*.test.ts"];

/** Hostile code in real sandboxes, and what waits for processes that hang, are for vitest.e2e.config.ts. */
const long = ["test/**/*-attacks.test.ts", "test/**/*.long.test.ts"];

/** Everything that needs no installed service. Real files, SQLite, HTTP and child processes; vitest.e2e.config.ts has the rest. */
export default defineConfig({
  plugins: [builtEntries()],
  test: {
    setupFiles: ["test/support/test-price.ts"],
    testTimeout: 60_000,
    // Node programs that tests start take their modules from the bot's compile cache, instead of removing the types again.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/knack", import.meta.url)) },
    hookTimeout: 60_000,
    // One more than there are processors: many tests wait for child processes.
    maxWorkers: availableParallelism() + 1,
    reporters: ["default", needsReporter(write), priceReporter(write)],
    projects: [
      { extends: true, test: { name: "apart", include: apart, exclude: long } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/{unit,contract,replay,goldens}/**/*.test.ts"],
          exclude: [...apart, ...long],
          // Loading the bot anew for each file costs more than the tests.
          isolate: false,
        },
      },
    ],
  },
});

import { defineConfig } from "vitest/config";
import { builtEntries } from "./.ci/build.ts";
import { needsReporter } from "./test/support/needs-reporter.ts";

/**
 * What takes longer: hostile code in real sandboxes, processes that hang or run out of memory, a turn that dies at every point of its
 * life, and the bot in its own process, driven from outside.
 */
export default defineConfig({
  plugins: [builtEntries()],
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ["default", needsReporter((line) => process.stdout.write(line))],
    projects: [
      {
        extends: true,
        test: {
          name: "long",
          include: ["test/unit/**/*-attacks.test.ts", "test/{unit,contract}/**/*.long.test.ts"],
        },
      },
      { extends: true, test: { name: "crash points", include: ["test/crash-points/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "end to end",
          // A real browser, kill -9, model servers over HTTP.
          include: ["test/e2e/**/*.test.ts"],
          // A browser on a loaded machine may be late once; a defect fails every time. Repeated tests are named in the report.
          retry: 2,
        },
      },
    ],
  },
});

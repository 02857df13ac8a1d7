import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { builtEntries } from "./.ci/build.ts";
import { needsReporter } from "./test/support/needs-reporter.ts";

/** Tests that measure time, or in which time decides; they run one file at a time, after the others. */
const alone = ["test/e2e/console/typing-time.test.ts", "test/e2e/command-line/npm-start.test.ts"];

/** Tests that mostly wait for processes, a bot of their own or code in a sandbox: one more than there are processors. */
const together = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 0 } };
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 1 } };

/**
 * Tests in a browser, which may be late once on a loaded machine, and sentences said to a bot whose clock is moved by days, which cuts its
 * connections. Repeated tests are named in the report. All other tests have one try: a race that loses an effect in one run of three would
 * pass three tries in 96 of 100 runs.
 */
const repeated = [
  "test/e2e/console/**/*.test.ts",
  "test/e2e/colleague/*.test.ts",
  "test/e2e/packages/own-packages.test.ts",
];
const retry = 2;

/**
 * What takes longer: hostile code in real sandboxes, processes that hang or run out of memory, a turn that dies at every point of its
 * life, and the bot in its own process, driven from outside.
 */
export default defineConfig({
  plugins: [builtEntries()],
  test: {
    // As in vitest.config.ts.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/knack", import.meta.url)) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A limit for what never comes, not for a busy machine.
    expect: { poll: { timeout: 20_000 } },
    reporters: ["default", needsReporter((line) => process.stdout.write(line))],
    projects: [
      {
        extends: true,
        test: {
          name: "long",
          ...together,
          include: ["test/unit/**/*-attacks.test.ts", "test/{unit,contract}/**/*.long.test.ts"],
        },
      },
      {
        extends: true,
        // A test is some thirty lives of a bot, on a database that other tests use, too.
        test: {
          name: "crash points",
          ...together,
          testTimeout: 180_000,
          include: ["test/crash-points/**/*.test.ts"],
        },
      },
      {
        extends: true,
        // kill -9, model servers over HTTP. What does not come is named by the helper that waits for it, long before this time.
        test: {
          name: "end to end",
          ...together,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          include: ["test/e2e/**/*.test.ts"],
          exclude: [...alone, ...repeated],
        },
      },
      { extends: true, test: { name: "repeated", ...together, retry, include: repeated, exclude: alone } },
      { extends: true, test: { name: "alone", ...oneByOne, retry, include: alone } },
    ],
  },
});

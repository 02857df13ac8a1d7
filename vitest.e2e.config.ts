import { defineConfig } from "vitest/config";

/** The bot in its own process, driven from outside: a real browser, kill -9, model servers over HTTP. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // A browser on a loaded machine may be late once; a defect fails every time. Repeated tests are named in the report.
    retry: 2,
  },
});

import { defineConfig } from "vitest/config";
import { testsVariable } from "./guards.ts";

const include = JSON.parse(process.env[testsVariable] ?? "[]") as string[];

/** One process for all files of a run, as in `npm test`: loading the bot anew costs more than the tests. */
export default defineConfig({
  test: { testTimeout: 15_000, hookTimeout: 15_000, include, isolate: false },
});

// Prints what failed, and the closing line of CI, from vitest's JSON reports: "N passed, N failed". A failed step
// without a failed test (the checks, a crashed runner) counts as one failure, and so does every test that was
// skipped because a program is missing: CI has all of them. Exits with 1 when something failed.
import { existsSync, readFileSync } from "node:fs";

const [, , failedSteps, ...files] = process.argv;
let passed = 0;
let failed = 0;
for (const file of files) {
  if (!existsSync(file)) continue;
  const report = JSON.parse(readFileSync(file, "utf8"));
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const skipped = tests.filter(({ status, meta }) => status === "skipped" && meta.needs !== undefined);
  for (const { fullName, meta } of skipped) console.log(`skipped without ${meta.needs}: ${fullName}`);
  for (const { fullName, status, failureMessages } of tests) {
    if (status === "failed") console.log(`failed: ${fullName}\n${failureMessages.join("\n").slice(0, 2000)}`);
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests + skipped.length;
}
if (failedSteps !== "") console.log(`failed steps: ${failedSteps.trim()}`);
if (failedSteps !== "" && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

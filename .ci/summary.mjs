// Prints the closing line of CI from vitest's JSON reports: "N passed, N failed". A failed step without a
// failed test (the checks, a crashed runner) counts as one failure.
import { existsSync, readFileSync } from "node:fs";

const [, , stepFailed, ...files] = process.argv;
let passed = 0;
let failed = 0;
for (const file of files) {
  if (!existsSync(file)) continue;
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
}
if (stepFailed !== "0" && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed`);

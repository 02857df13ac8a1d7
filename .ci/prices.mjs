// Fails for a unit test that costs over a second of its worker's CPU, also each time its file runs alone, unless
// test/dear-tests.json has it with a reason. Its arguments: vitest's JSON report, and the file for a second one.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const limit = 1000;
const withoutIds = (name) => name.replace(/ \[[\w, -]+\]/g, "");
const allowed = new Set(
  Object.keys(JSON.parse(readFileSync("test/dear-tests.json", "utf8"))).map(withoutIds),
);
const [, , first, second] = process.argv;

function dearIn(report) {
  return JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ meta, fullName }) => meta.price?.cpu_ms > limit && !allowed.has(withoutIds(fullName)))
      .map(({ meta, fullName }) => ({
        file: name,
        fullName,
        seconds: (meta.price.cpu_ms / 1000).toFixed(1),
      })),
  );
}

// A busy machine makes every test dear, so only what is dear each time counts.
let dear = dearIn(first);
for (let tries = 0; tries < 3 && dear.length > 0; tries += 1) {
  const files = [...new Set(dear.map(({ file }) => file))];
  const options = ["--maxWorkers=1", "--reporter=json", `--outputFile.json=${second}`];
  spawnSync("npx", ["vitest", "run", ...files, ...options], { stdio: ["ignore", "ignore", "inherit"] });
  const again = dearIn(second);
  dear = dear.flatMap((one) => again.find(({ fullName }) => fullName === one.fullName) ?? []);
}
for (const { fullName, seconds } of dear)
  console.log(
    `${seconds} s of CPU: ${fullName}. Make it cheaper, move it to a *.long.test.ts, or give a reason in test/dear-tests.json.`,
  );
process.exitCode = dear.length === 0 ? 0 : 1;

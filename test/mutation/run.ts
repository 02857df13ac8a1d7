/**
 * `npm run mutate`: changes the guards of guards.ts in one place at a time and runs their tests, which must fail. Prints each change
 * that no test notices and the share that is noticed, and ends with exit code 1 if that is below 80 % in any file. A later run repeats
 * only what a change of a file or a test affects. `npm run mutate -- redaction leases` runs the named guards.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { guards, testsVariable } from "./guards.ts";

/** The share of mutants that the tests of a file must notice, percent. */
const minPercent = 80;

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

async function mutantsOf(name: string): Promise<Mutant[]> {
  const guard = guards[name];
  if (guard === undefined) throw new Error(`Unknown guard ${name}. Known: ${Object.keys(guards).join(", ")}`);
  // Not as Stryker's `testFiles`: with these it runs no test at all for a mutant of a constant.
  process.env[testsVariable] = JSON.stringify(guard.tests.map((file) => `test/${file}.test.ts`));
  return new Stryker({
    mutate: guard.files.map(rangeOf),
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false, pool: "threads" },
    // The compiler and the goldens hold texts: a mutant of each literal would ask for a second copy of it in a test.
    mutator: { excludedMutations: ["StringLiteral"] },
    incremental: true,
    incrementalFile: `.mutants/${name}.json`,
    tempDirName: ".mutants/sandbox",
    ignorePatterns: ["/bench", "/docs", ".knack*"],
    disableTypeChecks: false,
    reporters: ["progress-append-only"],
    fileLogLevel: "off",
    logLevel: "warn",
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();
}

/** As Stryker names a file, or the lines of a range of its declarations. @throws when a declaration is not there */
function rangeOf(file: string): string {
  const [name = "", range = ""] = file.split(" ");
  if (range === "") return `src/${name}`;
  const lines = readFileSync(`src/${name}`, "utf8").split("\n");
  const beginnings = range.split("..").map((declared) => {
    const at = lines.findIndex((line) =>
      new RegExp(`^(?:export )?(?:async )?function ${declared}\\b`).test(line),
    );
    if (at < 0) throw new Error(`src/${name} has no function ${declared}`);
    return at;
  });
  const [first = 0, last = first] = beginnings;
  return `src/${name}:${first + 1}-${lines.indexOf("}", last) + 1}`;
}

/** The share that was noticed, percent, with a line for each mutant that was not. Prints both. */
function report(file: string, mutants: readonly Mutant[]): number {
  const isNoticed = ({ status }: Mutant) => status === "Killed" || status === "Timeout";
  const isMissed = ({ status }: Mutant) => status === "Survived" || status === "NoCoverage";
  const missed = mutants.filter(isMissed);
  const noticed = mutants.filter(isNoticed).length;
  const percent = (100 * noticed) / (noticed + missed.length);
  for (const { location, mutatorName, replacement, status } of missed)
    console.log(
      `  ${file}:${location.start.line}:${location.start.column} ${status} ${mutatorName}: ${replacement?.replaceAll(/\s+/g, " ")}`,
    );
  console.log(`${percent.toFixed(1).padStart(5)} % of ${noticed + missed.length} in ${file}`);
  return percent;
}

const { positionals } = parseArgs({ allowPositionals: true });
for (const name of positionals.length > 0 ? positionals : Object.keys(guards)) {
  const began = performance.now();
  const byFile = Map.groupBy(await mutantsOf(name), ({ fileName }) => path.relative("", fileName));
  // Stryker's record still has files that the guard had before.
  for (const file of new Set(guards[name]?.files.map((each) => `src/${each.split(" ")[0]}`)))
    if (!(report(file, byFile.get(file) ?? []) >= minPercent)) process.exitCode = 1;
  console.log(`${name}: ${Math.round((performance.now() - began) / 1_000)} s`);
}

import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runSealed } from "../../../src/process/sealed-process.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";

/** Tells what such a process has. */
const report = `
import { readFileSync, readSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
const request = Buffer.alloc(1_000);
const [path] = request.toString("utf8", 0, readSync(0, request)).split("\\n");
const can = (work) => { try { work(); return true; } catch { return false; } };
process.stdout.write(JSON.stringify({
  env: process.env,
  reads: can(() => readFileSync("/etc/hostname")) || can(() => readFileSync(path)),
  writes: can(() => writeFileSync(path, "x")),
  starts: can(() => { if (spawnSync("true").error) throw new Error(); }),
}) + "\\n");
`;

it("a sealed process has no environment, and can neither read, write nor start anything [text-1]", async () => {
  process.env.KNACK_TEST_SECRET = "secret";
  onTestFinished(() => void delete process.env.KNACK_TEST_SECRET);
  const folder = temporaryFolder({ "report.mjs": report, "other.txt": "other" });
  const entry = pathToFileURL(`${folder}/report.mjs`);
  const run = { entry, request: `${folder}/other.txt` };
  const ended = await runSealed(
    { ...run, timeoutMs: 60_000, maxAnswerBytes: 10_000 },
    new AbortController().signal,
  );
  const { answer } = ended as { answer: string };
  expect(JSON.parse(answer)).toEqual({ env: {}, reads: false, writes: false, starts: false });
});

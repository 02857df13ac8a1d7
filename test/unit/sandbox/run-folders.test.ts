import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sharingProcesses } from "../../support/fakes/sharing-processes.ts";

type RunFolders = typeof import("../../../src/sandbox/run/open-run.ts");

/** The module as another process loads it: each process has a name of its own. */
const loadedBy = (process: string): Promise<RunFolders> => {
  const file = new URL("../../../src/sandbox/run/open-run.ts", import.meta.url);
  return import(/* @vite-ignore */ `${file.href}?process=${process}`);
};

it("a process that starts removes the run folders of dead processes, and not those of live ones", async () => {
  const runs = mkdtempSync(join(tmpdir(), "knack-runs-"));
  onTestFinished(() => rmSync(runs, { recursive: true }));
  const processes = sharingProcesses();
  const [one, two, dead] = await Promise.all(["one", "two", "dead"].map(loadedBy));
  if (one === undefined || two === undefined || dead === undefined) throw new Error("not loaded");
  const mutex = processes.next();
  await dead.claimRunFolders(processes.next());
  await dead.makeRunFolder(runs);
  processes.pass(20_000);
  const release = await one.claimRunFolders(mutex);
  await one.makeRunFolder(runs);
  const names = readdirSync(runs);
  expect(names).toHaveLength(2);
  await two.removeLeftovers(runs, processes.next());
  const left = readdirSync(runs);
  expect(left).toHaveLength(1);
  await one.removeLeftovers(runs, mutex);
  expect(readdirSync(runs)).toEqual(left);
  await release();
  await two.removeLeftovers(runs, processes.next());
  expect(readdirSync(runs)).toEqual([]);
});

import { rm } from "node:fs/promises";
import { createBubblewrapIsolation, type UserMode } from "./bubblewrap-isolation.ts";
import { supervise } from "./child-process.ts";
import type { Isolation, IsolationNeeds } from "./isolation.ts";
import { type IsolationLack, missingBubblewrap, thisMachine } from "./isolation-cure.ts";
import { findLimitPrograms, findMountPrograms, type LimitPrograms } from "./limit-programs.ts";
import { createProcessIsolation } from "./process-isolation.ts";
import { makeRunFolder } from "./run/open-run.ts";
import { findProgram } from "./run/programs.ts";

/**
 * The strongest isolation that works here. Each is tested with a real sandbox: being installed is not enough.
 * @param runs where temporary folders may be created
 */
export async function chooseIsolation(needs: IsolationNeeds, runs: string): Promise<Isolation> {
  const programs = await findLimitPrograms();
  const weak = (lacks: IsolationLack) => createProcessIsolation({ ...needs, lacks, programs });
  const bwrap = await findProgram(needs.bwrap ?? "bwrap");
  if (bwrap === undefined) {
    const packages = ["bubblewrap", ...(programs === undefined ? ["util-linux"] : [])];
    return weak(missingBubblewrap(await thisMachine(), packages));
  }
  const failures: string[] = [];
  const [mounts, shell] = await Promise.all([findMountPrograms(), findProgram("sh")]);
  const attempts = modes(programs).flatMap((mode) => [
    ...(mounts === undefined ? [] : [{ mode, mounts }]),
    { mode, mounts: undefined },
  ]);
  for (const attempt of attempts) {
    const isolation = createBubblewrapIsolation({ ...needs, ...attempt, bwrap, shell, programs });
    const failure = await probe(isolation, runs);
    if (failure === undefined) return isolation;
    failures.push(failure);
  }
  const said = [...new Set(failures)].join("; ").slice(0, 400);
  return weak({
    problem: `Code of skills is isolated by bubblewrap, which is installed and does not work here (${said}).`,
    cure: "It needs the right to make namespaces: in a container, see docs/container.md.",
  });
}

function modes(programs: LimitPrograms | undefined): UserMode[] {
  const isRoot = process.getuid?.() === 0;
  return isRoot && programs !== undefined ? ["switch", "namespace", "contained"] : ["namespace", "contained"];
}

/** Runs `node --version` isolated; returns what went wrong, if anything did. */
async function probe(isolation: Isolation, runs: string): Promise<string | undefined> {
  const runFolder = await makeRunFolder(runs);
  try {
    const launch = await isolation.prepare({
      folder: import.meta.dirname,
      entry: { script: "" },
      interpreter: ["node", "--version"],
      args: [],
      env: {},
      shipped: true,
      timeoutMs: 10_000,
      runFolder,
    });
    const request = {
      stdin: "",
      signal: new AbortController().signal,
      timeout_ms: 10_000,
      max_output_bytes: 2_000,
    };
    const outcome = await supervise(launch, request);
    if (outcome.status === "refused") return outcome.reason;
    if (outcome.status === "timed_out") return "it did not end in time";
    return outcome.exit_code === 0
      ? undefined
      : outcome.stderr.trim() || `it ended with ${outcome.exit_code}`;
  } finally {
    await rm(runFolder, { recursive: true, force: true });
  }
}

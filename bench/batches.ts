/** The child's side of the benchmark: runs turns on request and reports their cost. */
import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";

/** Asks a child for this many turns, one after another; with a path, a CPU profile of them is written there. */
export interface BatchRequest {
  turns: number;
  profile?: string | undefined;
}

/** Per turn, milliseconds: CPU of the whole process (user and system, garbage collection included), and time passed. */
export interface BatchCost {
  cpuMs: number;
  wallMs: number;
}

/** Answers the parent's requests until it disconnects. Tells it first that the child is ready. */
export function serveBatches(runTurn: () => Promise<void>): void {
  process.on("message", (request: BatchRequest) => {
    runBatch(runTurn, request).then(
      (cost) => process.send?.(cost),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.("ready");
}

async function runBatch(runTurn: () => Promise<void>, { turns, profile }: BatchRequest): Promise<BatchCost> {
  const stopProfile = profile === undefined ? undefined : await startProfile(profile);
  const cpu = process.cpuUsage();
  const from = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await runTurn();
  const wallMs = (performance.now() - from) / turns;
  const { user, system } = process.cpuUsage(cpu);
  await stopProfile?.();
  return { cpuMs: (user + system) / 1000 / turns, wallMs };
}

async function startProfile(file: string): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    await writeFile(file, JSON.stringify(profile));
  };
}

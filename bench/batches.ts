/** The child's side of the benchmark: runs turns on request and reports their cost. */

/** Asks a child for this many turns, one after another. */
export interface BatchRequest {
  turns: number;
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

async function runBatch(runTurn: () => Promise<void>, { turns }: BatchRequest): Promise<BatchCost> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await runTurn();
  const wallMs = (performance.now() - from) / turns;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000 / turns, wallMs };
}

import { expect } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import { inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { pendingTurns } from "../../support/pending-turns.ts";
import type { Child } from "./child.ts";

/** Processes that ran `claim-all.ts` share these many turns of 20 threads: each turn is claimed once, after those before it in its thread. */
export async function expectSharedTurns(
  log: TurnLog,
  count: number,
  start: (owner: string) => Child,
): Promise<void> {
  const ids = Array.from({ length: count }, (_, at) => `t${at}`);
  for (const [at, id] of ids.entries())
    await log.accept(inbound(`k${id}`, { thread: `thread-${at % 20}` }), id, at);
  const workers = ["w1", "w2"].map(start);
  for (const worker of workers) expect(await worker.line()).toBe("ready");
  for (const worker of workers) worker.process.stdin.write("go\n");
  const claims = (await Promise.all(workers.map((worker) => worker.rest()))).flat().map((line) => {
    const [id = "", claimed, ends] = line.split(" ");
    return { id, claimed: Number(claimed), ends: Number(ends) };
  });
  expect(claims.map(({ id }) => id).sort()).toEqual([...ids].sort());
  const byId = new Map(claims.map((claim) => [claim.id, claim]));
  const early = ids.slice(20).filter((id, at) => {
    const [before, after] = [byId.get(ids[at] ?? ""), byId.get(id)];
    return (after?.claimed ?? 0) < (before?.ends ?? 0);
  });
  expect(early).toEqual([]);
  expect(await pendingTurns(log)).toBe(0);
}

import type { KeyValue } from "../core/key-value.ts";
import type { Model } from "../core/model.ts";
import type { TurnLog } from "../core/turn-log.ts";

/** One thing that must be well. */
export interface Readiness {
  name: string;
  ok: boolean;
  /** What it is, or what is wrong and what to do. */
  detail: string;
}

/** Whether store, queue, model and connections are usable, each with what to do when not. */
export async function readiness({
  store,
  log,
  ports,
  checks = () => [],
}: {
  store: KeyValue;
  log: TurnLog;
  ports: { model: Model };
  checks?: (() => Readiness[]) | undefined;
}): Promise<Readiness[]> {
  const check = async (name: string, probe: () => Promise<string>) => {
    try {
      return { name, ok: true, detail: await probe() };
    } catch (error) {
      return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  };
  const own = await Promise.all([
    check("store", async () => {
      await store.get("namespace:console:local:dm");
      return "readable";
    }),
    check("queue", async () => `${await log.pending()} turns pending`),
    check("model", async () => ports.model.id),
  ]);
  return [...own, ...checks()];
}

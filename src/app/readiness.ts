import type { KeyValue } from "../core/key-value.ts";
import type { Model } from "../core/model.ts";
import type { TurnLog } from "../core/turn-log.ts";

/** Whether store, queue and model are usable, each with what to do when not. */
export async function readiness({
  store,
  log,
  ports,
}: {
  store: KeyValue;
  log: TurnLog;
  ports: { model: Model };
}): Promise<{ name: string; ok: boolean; detail: string }[]> {
  const check = async (name: string, probe: () => Promise<string>) => {
    try {
      return { name, ok: true, detail: await probe() };
    } catch (error) {
      return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  };
  return Promise.all([
    check("store", async () => {
      await store.get("namespace:console:local:dm");
      return "readable";
    }),
    check("queue", async () => `${await log.pending()} turns pending`),
    check("model", async () => ports.model.id),
  ]);
}

import type { KeyValue } from "../core/key-value.ts";
import type { Model } from "../core/model.ts";
import type { TurnLog } from "../core/turn-log.ts";

/** One thing that must be well. */
export interface Readiness {
  name: string;
  ok: boolean;
  /** What it is, or what is wrong and what to do. */
  detail: string;
  /** One of the ways to the outside. A bot that has lost one of them still works on the others. */
  platform?: true | undefined;
}

/** Whether a bot of which these things are known can work: everything of its own is well, and so is a platform, if it has any. */
export function isReady(checks: readonly Readiness[]): boolean {
  const platforms = checks.filter(({ platform }) => platform === true);
  const own = checks.filter(({ platform }) => platform !== true);
  return own.every(({ ok }) => ok) && (platforms.length === 0 || platforms.some(({ ok }) => ok));
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

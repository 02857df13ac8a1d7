import type { Engine } from "./engine.ts";

interface Contestant {
  name: string;
  /** The worker that replaces a killed one has its id. */
  keepsId?: true;
  load(): Promise<Engine>;
}

/** What is compared. A process loads only the engine that it runs. */
export const contestants: readonly Contestant[] = [
  { name: "SKIP LOCKED, lease, NOTIFY", load: async () => (await import("./plain.ts")).plain },
  { name: "pg-boss, notify", load: async () => (await import("./pg-boss.ts")).pgBoss({ notify: true }) },
  { name: "pg-boss, polling", load: async () => (await import("./pg-boss.ts")).pgBoss({ notify: false }) },
  { name: "graphile-worker", load: async () => (await import("./graphile-worker.ts")).graphileWorker },
  { name: "DBOS, same executor id", keepsId: true, load: async () => (await import("./dbos.ts")).dbos },
  { name: "DBOS, new executor id", load: async () => (await import("./dbos.ts")).dbos },
];

/** Notes in the report what each test costs its worker. */
import { beforeEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** CPU of the worker's process while the test ran, and the time it took, ms. */
    price?: { cpu_ms: number; took_ms: number };
  }
}

beforeEach(({ task }) => {
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    task.meta.price = { cpu_ms: (user + system) / 1000, took_ms: performance.now() - began };
  };
});

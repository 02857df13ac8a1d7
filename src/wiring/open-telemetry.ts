import type { Config } from "../config/schema.ts";
import type { Log } from "../core/ports/storage.ts";
import type { Redact } from "../core/values/redact.ts";
import { createMetrics, type Gauges, type Metrics } from "../telemetry/metrics.ts";
import type { Traces } from "../telemetry/traces.ts";
import { processesOf } from "./database-processes.ts";
import type { Stores } from "./stores.ts";
import { systemClock } from "./system-clock.ts";

/** What is seen of a bot from outside, apart from its log. */
export interface Telemetry {
  metrics: Metrics | undefined;
  traces: Traces | undefined;
}

/** The telemetry of a command: it has no reader for metrics, and its turns are not worth loading the packages of traces. */
export const noTelemetry: Telemetry = { metrics: undefined, traces: undefined };

/** Begins to count, and loads the OpenTelemetry packages if there is a collector. */
export async function openTelemetry(
  { traces: { url } }: Config,
  options: { version: string; redact: Redact; logger: Log },
): Promise<Telemetry> {
  const openTraces = async () => {
    if (url === undefined) return undefined;
    const { createTraces } = await import("../telemetry/traces.ts");
    return createTraces({ url, clock: systemClock, ...options });
  };
  const [metrics, traces] = await Promise.all([createMetrics(), openTraces()]);
  return { metrics, traces };
}

/** Reads the metrics with what is counted at that moment; undefined without metrics. */
export function metricsReader(
  metrics: Metrics | undefined,
  { log, leases, clock, shared }: Stores,
  platforms: Gauges["platforms"],
): (() => ReturnType<Metrics["read"]>) | undefined {
  const processes = shared && (() => processesOf(leases));
  return metrics && (() => metrics.read({ backlog: log.backlog, now: clock.now, platforms, processes }));
}

import type { Registry } from "prom-client";
import type { TurnLog } from "../core/log/turn-log.ts";
import type { Meter } from "../core/ports/model.ts";

/** Values that are read only when the metrics are scraped, because no event tells when they change. */
export interface Gauges {
  backlog: TurnLog["backlog"];
  /** ms since the epoch. */
  now(): number;
  platforms(): readonly { name: string; ok: boolean }[];
  /** The processes on a shared database; undefined where there is only this one. */
  processes?: (() => Promise<readonly { role: string }[]>) | undefined;
}

/** A meter whose counts can be read in Prometheus' text format. */
export interface Metrics extends Meter {
  read(gauges: Gauges): Promise<{ content_type: string; text: string }>;
}

/** Result codes of calls that the sandbox or its network grants refused. */
const sandboxRefusals = ["not_isolated", "network_refused", "sandbox_full", "host_refused"];

/** Seconds. Turns take up to minutes; calls of tools and models less. */
const turnBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800];
const callBuckets = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The client library, loaded when the first metrics are made. */
type Client = Pick<typeof import("prom-client"), "Counter" | "Gauge" | "Histogram">;

function createInstruments(client: Client, registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new client.Counter<L>({ name: `knack_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new client.Gauge<L>({ name: `knack_${name}`, help, labelNames, registers });
  const seconds = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new client.Histogram<L>({ name: `knack_${name}_seconds`, help, labelNames, buckets, registers });
  const model: ("provider" | "model")[] = ["provider", "model"];
  return {
    turns: counter("turns_total", "Turns that ended, by kind and outcome", ["kind", "outcome"]),
    turnTime: seconds("turn_duration", "From the message to the end of its turn", ["kind"], turnBuckets),
    queueTime: seconds("turn_queued", "From the message until a worker took it", ["kind"], callBuckets),
    rounds: counter("rounds_total", "Rounds of turns: one model call and its tool calls", []),
    tools: counter("tool_calls_total", "Tool calls that ended, by skill and outcome", ["skill", "outcome"]),
    toolTime: seconds("tool_duration", "Tool calls", ["skill"], callBuckets),
    refusals: counter("sandbox_refusals_total", "Calls that the sandbox or its grants refused", ["reason"]),
    calls: counter("model_calls_total", "Requests to models, by outcome", [...model, "outcome"]),
    modelTime: seconds("model_duration", "Requests to models, answer included", model, callBuckets),
    tokens: counter("model_tokens_total", "Tokens; input includes cached and cache_write", [
      ...model,
      "kind",
    ]),
    cost: counter("model_cost_usd_total", "US dollars, for models with a price", model),
    share: gauge("model_cache_share", "Cached part of the input tokens since the start", model),
    platformErrors: counter("platform_errors_total", "What a platform did not do", ["platform", "code"]),
    up: gauge("platform_up", "Whether the platform is connected", ["platform"]),
    queue: gauge("queue_turns", "Turns that are not finished", ["state"]),
    processes: gauge("processes", "Processes that run on the database, by role", ["role"]),
    oldest: gauge("queue_oldest_seconds", "Age of the oldest turn that waits for a worker", []),
  };
}

/** How often the delay of the event loop is measured, ms. The library's 10 ms wake an idle process a hundred times a second. */
const eventLoopPeriodMs = 1000;

/**
 * Loads prom-client and begins to count. Labels are few: outcomes, skills, models and platforms of the configuration; never people,
 * channels or threads.
 */
export async function createMetrics(): Promise<Metrics> {
  const client = await import("prom-client");
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopPeriodMs });
  const made = createInstruments(client, registry);
  const seen = new Map<string, { input: number; cached: number }>();

  return {
    turn({ kind, outcome, duration_ms, queued_ms }) {
      made.turns.inc({ kind, outcome });
      if (outcome === "merged") return;
      made.turnTime.observe({ kind }, duration_ms / 1000);
      made.queueTime.observe({ kind }, queued_ms / 1000);
    },
    round: () => made.rounds.inc(),
    tool({ skill_id, outcome, duration_ms }) {
      const skill = skill_id === "" ? "agent" : skill_id;
      made.tools.inc({ skill, outcome });
      made.toolTime.observe({ skill }, duration_ms / 1000);
      if (sandboxRefusals.includes(outcome)) made.refusals.inc({ reason: outcome });
    },
    modelCall({ provider, model, outcome, duration_ms }) {
      made.calls.inc({ provider, model, outcome });
      made.modelTime.observe({ provider, model }, duration_ms / 1000);
    },
    usage(id, { input_tokens, cached_tokens = 0, cache_write_tokens = 0, output_tokens, cost_usd = 0 }) {
      const [provider = "", ...name] = id.split("/");
      const labels = { provider, model: name.join("/") };
      const tokens = { input: input_tokens, cached: cached_tokens, cache_write: cache_write_tokens };
      for (const [kind, count] of Object.entries({ ...tokens, output: output_tokens }))
        made.tokens.inc({ ...labels, kind }, count);
      made.cost.inc(labels, cost_usd);
      const sum = seen.get(id) ?? { input: 0, cached: 0 };
      seen.set(id, { input: sum.input + input_tokens, cached: sum.cached + cached_tokens });
      made.share.set(labels, (sum.cached + cached_tokens) / Math.max(1, sum.input + input_tokens));
    },
    platformError: (platform, code) => made.platformErrors.inc({ platform, code }),
    async read(gauges) {
      const now = gauges.now();
      const { oldest_at = now, held = 0, ...states } = await gauges.backlog();
      states.running -= held;
      for (const [state, count] of Object.entries({ ...states, held })) made.queue.set({ state }, count);
      made.oldest.set(Math.max(0, now - oldest_at) / 1000);
      made.processes.reset();
      for (const { role } of (await gauges.processes?.()) ?? []) made.processes.inc({ role });
      for (const { name, ok } of gauges.platforms()) made.up.set({ platform: name }, ok ? 1 : 0);
      return { content_type: registry.contentType, text: await registry.metrics() };
    },
  };
}

import type { TurnLog } from "../core/log/turn-log.ts";
import type { Meter } from "../core/ports/model.ts";

/** What is asked for when the metrics are read, because nothing tells when it changes. */
export interface Gauges {
  backlog: TurnLog["backlog"];
  /** ms since the epoch. */
  now(): number;
  platforms(): readonly { name: string; ok: boolean }[];
}

/** A meter whose counts can be read in Prometheus' text format. */
export interface Metrics extends Meter {
  read(gauges: Gauges): Promise<{ content_type: string; text: string }>;
}

/** Codes of results that say that the sandbox, or the grants of its network, kept code from something. */
const sandboxRefusals: ReadonlySet<string> = new Set([
  "not_isolated",
  "network_refused",
  "sandbox_full",
  "host_refused",
]);

/** Seconds. Turns take from a moment to minutes; calls of tools and models less. */
const turnBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800];
const callBuckets = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Loads prom-client and begins to count. Labels are few: outcomes, skills, models and platforms of the configuration; never people,
 * channels or threads.
 */
export async function createMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name: `knack_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge<L>({ name: `knack_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram<L>({ name: `knack_${name}_seconds`, help, labelNames, buckets, registers });

  const turns = counter("turns_total", "Turns that ended, by kind and outcome", ["kind", "outcome"]);
  const turnTime = histogram(
    "turn_duration",
    "From the message to the end of its turn",
    ["kind"],
    turnBuckets,
  );
  const queueTime = histogram(
    "turn_queued",
    "From the message until a worker took it",
    ["kind"],
    callBuckets,
  );
  const rounds = counter("rounds_total", "Rounds of turns: one model call and its tool calls", []);
  const tools = counter("tool_calls_total", "Tool calls that ended, by skill and outcome", [
    "skill",
    "outcome",
  ]);
  const toolTime = histogram("tool_duration", "Tool calls", ["skill"], callBuckets);
  const refusals = counter("sandbox_refusals_total", "Calls that the sandbox or its grants refused", [
    "reason",
  ]);
  const modelLabels: ("provider" | "model")[] = ["provider", "model"];
  const calls = counter("model_calls_total", "Requests to models, by outcome", [...modelLabels, "outcome"]);
  const modelTime = histogram(
    "model_duration",
    "Requests to models, answer included",
    modelLabels,
    callBuckets,
  );
  const tokens = counter("model_tokens_total", "Tokens; cached and cache_write are parts of input", [
    ...modelLabels,
    "kind",
  ]);
  const cost = counter("model_cost_usd_total", "US dollars, for models with a price", modelLabels);
  const share = gauge("model_cache_share", "Cached part of the input tokens since the start", modelLabels);
  const platformErrors = counter("platform_errors_total", "What a platform did not do", ["platform", "code"]);
  const up = gauge("platform_up", "Whether the platform is connected", ["platform"]);
  const queue = gauge("queue_turns", "Turns that are not finished", ["state"]);
  const oldest = gauge("queue_oldest_seconds", "Age of the oldest turn that waits for a worker", []);
  const seen = new Map<string, { input: number; cached: number }>();

  return {
    turn({ kind, outcome, duration_ms, queued_ms }) {
      turns.inc({ kind, outcome });
      if (outcome === "merged") return;
      turnTime.observe({ kind }, duration_ms / 1000);
      queueTime.observe({ kind }, queued_ms / 1000);
    },
    round: () => rounds.inc(),
    tool({ skill_id, outcome, duration_ms }) {
      const skill = skill_id === "" ? "agent" : skill_id;
      tools.inc({ skill, outcome });
      toolTime.observe({ skill }, duration_ms / 1000);
      if (sandboxRefusals.has(outcome)) refusals.inc({ reason: outcome });
    },
    modelCall({ provider, model, outcome, duration_ms }) {
      calls.inc({ provider, model, outcome });
      modelTime.observe({ provider, model }, duration_ms / 1000);
    },
    usage(id, { input_tokens, cached_tokens = 0, cache_write_tokens = 0, output_tokens, cost_usd = 0 }) {
      const [provider = "", ...name] = id.split("/");
      const labels = { provider, model: name.join("/") };
      tokens.inc({ ...labels, kind: "input" }, input_tokens);
      tokens.inc({ ...labels, kind: "cached" }, cached_tokens);
      tokens.inc({ ...labels, kind: "cache_write" }, cache_write_tokens);
      tokens.inc({ ...labels, kind: "output" }, output_tokens);
      cost.inc(labels, cost_usd);
      const sum = seen.get(id) ?? { input: 0, cached: 0 };
      seen.set(id, { input: sum.input + input_tokens, cached: sum.cached + cached_tokens });
      share.set(labels, (sum.cached + cached_tokens) / Math.max(1, sum.input + input_tokens));
    },
    platformError: (platform, code) => platformErrors.inc({ platform, code }),
    async read(gauges) {
      const now = gauges.now();
      const { oldest_at = now, held = 0, ...states } = await gauges.backlog(now);
      states.running -= held;
      for (const [state, count] of Object.entries({ ...states, held })) queue.set({ state }, count);
      oldest.set(Math.max(0, now - oldest_at) / 1000);
      for (const { name, ok } of gauges.platforms()) up.set({ platform: name }, ok ? 1 : 0);
      return { content_type: registry.contentType, text: await registry.metrics() };
    },
  };
}

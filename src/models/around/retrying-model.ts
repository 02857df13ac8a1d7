import { backoff } from "../../base/backoff.ts";
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  mayHelp,
} from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { attempted, whyDelayed } from "./attempt.ts";

/** How often, and after which delays, a request is repeated. */
export interface RetryPolicy {
  /** Maximum requests, including the first. */
  attempts: number;
  /** Delay before the second attempt, ms. It doubles with each attempt and varies by up to half. */
  minMs: number;
  /** Maximum delay unless the server asks for more, ms. */
  maxMs: number;
  /** If the server asks for a longer delay than this, ms, there are no further attempts. */
  maxRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 4,
  minMs: 500,
  maxMs: 15_000,
  maxRetryAfterMs: 60_000,
};

/** Limits for callers that can wait without a worker. */
const whereItCanWait = { attempts: 2, maxRetryAfterMs: 5_000 };

/**
 * Repeats requests after transient failures. A `reset` withdraws the text of a failed attempt, and a `delayed` event announces each
 * delay. After an outage, a request that `can_wait` ends with the second attempt. A request that cannot wait, because a running tool
 * needs the answer, keeps its worker for all attempts.
 */
export function createRetryingModel(
  model: Model,
  policy: RetryPolicy,
  clock: Pick<Clock, "now" | "sleep">,
  random: () => number = Math.random,
): Model {
  const attempt = (request: ModelRequest, number: number): AsyncIterable<ModelEvent> =>
    attempted(model.stream(request), {
      recover(error) {
        const wait = waitBefore(error, number, policyFor(request, error, policy), random);
        if (wait === undefined) throw afterAttempts(error, number);
        return again(request, error, wait, number + 1);
      },
    });
  async function* again(request: ModelRequest, error: unknown, wait: number, number: number) {
    yield { type: "delayed", text: whyDelayed(error), until: clock.now() + wait } as const;
    await clock.sleep(wait, request.signal);
    yield* attempt(request, number);
  }
  return { ...model, stream: (request) => attempt(request, 1) };
}

function policyFor({ can_wait }: ModelRequest, error: unknown, policy: RetryPolicy): RetryPolicy {
  if (can_wait !== true || !mayHelp("later", error)) return policy;
  return {
    ...policy,
    attempts: Math.min(policy.attempts, whereItCanWait.attempts),
    maxRetryAfterMs: Math.min(policy.maxRetryAfterMs, whereItCanWait.maxRetryAfterMs),
  };
}

/** Delay before the next attempt, ms; undefined when there is none. */
function waitBefore(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (!mayHelp("again", error) || attempt >= policy.attempts) return undefined;
  const own = backoff(attempt, { ...policy, jitter: 0.5 + random() });
  if (error.retryAfterMs === undefined) return own;
  return error.retryAfterMs > policy.maxRetryAfterMs ? undefined : Math.max(own, error.retryAfterMs);
}

function afterAttempts(error: unknown, attempts: number): unknown {
  if (attempts === 1 || !(error instanceof ModelError)) return error;
  const { code, message, retryAfterMs, seen } = error;
  const tried = `${message} It was tried ${attempts} times.`;
  return new ModelError(code, tried, { cause: error, retryAfterMs, seen });
}

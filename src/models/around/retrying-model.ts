import { backoff } from "../../base/backoff.ts";
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  mayHelp,
} from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { ShownText, whyDelayed } from "./failed-attempt.ts";

/** How often and how patiently a model is asked again. */
export interface RetryPolicy {
  /** Requests in all, the first included. */
  attempts: number;
  /** The wait before the second attempt, ms; it doubles with each further one, give or take half. */
  minMs: number;
  /** The longest wait of our own choosing, ms. */
  maxMs: number;
  /** When the server asks for a longer wait than this (milliseconds), the model is given up at once. */
  maxRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 4,
  minMs: 500,
  maxMs: 15_000,
  maxRetryAfterMs: 60_000,
};

/** Requests in all, and the longest wait for the second, ms, where whoever asks can wait without a worker. */
const whereItCanWait = { attempts: 2, maxRetryAfterMs: 5_000 };

/**
 * A model that is asked again after failures that pass. Text of a failed attempt is made void with `reset`; before each wait
 * a `delayed` tells people of it. An outage ends a request that `can_wait` after the second attempt. What cannot wait, because a tool that
 * runs needs the answer, keeps its worker for all attempts.
 */
export function createRetryingModel(
  model: Model,
  policy: RetryPolicy,
  clock: Pick<Clock, "now" | "sleep">,
  random: () => number = Math.random,
): Model {
  return {
    ...model,
    stream(request) {
      const waitAfter = (error: unknown, attempt: number) =>
        waitBefore(error, attempt, policyFor(request, error, policy), random);
      return attempts(model, request, waitAfter, clock);
    },
  };
}

async function* attempts(
  model: Model,
  request: ModelRequest,
  waitAfter: (error: unknown, attempt: number) => number | undefined,
  clock: Pick<Clock, "now" | "sleep">,
): AsyncGenerator<ModelEvent> {
  for (let attempt = 1; ; attempt += 1) {
    const shown = new ShownText();
    try {
      for await (const event of model.stream(request)) yield shown.pass(event);
      return;
    } catch (error) {
      const wait = waitAfter(error, attempt);
      if (wait === undefined) throw afterAttempts(error, attempt);
      yield* shown.void();
      yield { type: "delayed", text: whyDelayed(error), until: clock.now() + wait };
      await clock.sleep(wait, request.signal);
    }
  }
}

function policyFor({ can_wait }: ModelRequest, error: unknown, policy: RetryPolicy): RetryPolicy {
  if (can_wait !== true || !mayHelp("later", error)) return policy;
  return {
    ...policy,
    attempts: Math.min(policy.attempts, whereItCanWait.attempts),
    maxRetryAfterMs: Math.min(policy.maxRetryAfterMs, whereItCanWait.maxRetryAfterMs),
  };
}

/** Milliseconds until the next attempt; undefined when there is none. */
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

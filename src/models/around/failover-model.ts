import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  mayHelp,
} from "../../core/ports/model.ts";
import { ShownText, whyDelayed } from "./failed-attempt.ts";

/**
 * A model with fallbacks, which are tried in this order. The rule-based offline model is never a fallback.
 * @throws ModelError that describes the failures of all models
 */
export function createFailoverModel(first: Model, others: readonly Model[]): Model {
  const models = [first, ...others.filter((model) => model.generative)];
  if (models.length === 1) return first;

  return {
    id: first.id,
    generative: first.generative,
    window: least(models.map(({ window }) => window).filter((window) => (window ?? 0) > smallWindow)),
    cache_ms: least(models.map(({ cache_ms }) => cache_ms)),
    keeps: first.keeps,
    // What another model keeps is of no use to the first.
    stream: (request) => (request.keep_only === true ? first.stream(request) : inTurn(models, request)),
  };
}

/** A model with a smaller window, tokens, does not limit the conversation: it is sent the part that fits. */
const smallWindow = 32_000;

function least(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function* inTurn(models: readonly Model[], request: ModelRequest): AsyncGenerator<ModelEvent> {
  const failures: ModelError[] = [];
  for (const model of models) {
    const shown = new ShownText();
    try {
      for await (const event of model.stream(request)) yield shown.pass(event);
      return;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      failures.push(error);
      if (!mayHelp("another", error)) break;
      // The last model's text is not withdrawn here: the error does that.
      request.signal.throwIfAborted();
      if (model === models.at(-1)) break;
      yield* shown.void();
      yield { type: "delayed", text: `${whyDelayed(error)} Asking another model instead.` };
    }
  }
  throw allFailed(failures);
}

function allFailed(failures: readonly ModelError[]): ModelError {
  const last = failures.at(-1);
  if (last !== undefined && failures.length === 1) return last;
  const waits = failures.flatMap((failure) => failure.retryAfterMs ?? []);
  const told = failures.map((failure, index) => `(${index + 1}) ${failure.message}`).join(" ");
  // If one model may recover, waiting is worthwhile whatever the other failures are.
  const failure = failures.find((each) => mayHelp("later", each)) ?? last;
  return new ModelError(
    failure?.code ?? "unavailable",
    `None of ${failures.length} models answered. ${told}`,
    {
      cause: new AggregateError(failures),
      seen: failure?.seen,
      retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
    },
  );
}

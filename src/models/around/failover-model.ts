import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  mayHelp,
} from "../../core/ports/model.ts";
import { attempted, whyDelayed } from "./attempt.ts";

/** Is told of a model that failed where another one then answers. */
export type OnReplaced = (model: string, failure: ModelError) => void;

/**
 * A model with fallbacks, which are tried in this order. The rule-based offline model is never a fallback.
 * @throws ModelError that describes the failures of all models
 */
export function createFailoverModel(
  first: Model,
  others: readonly Model[],
  onReplaced: OnReplaced = () => {},
): Model {
  const models = [first, ...others.filter((model) => model.generative)] as const;
  if (models.length === 1) return first;

  return {
    id: first.id,
    generative: first.generative,
    window: least(models.map(({ window }) => window).filter((window) => (window ?? 0) > smallWindow)),
    cache_ms: least(models.map(({ cache_ms }) => cache_ms)),
    keeps: first.keeps,
    // What another model keeps is of no use to the first.
    stream: (request) =>
      request.keep_only === true ? first.stream(request) : inTurn(models, request, onReplaced),
  };
}

/** A model with a smaller window, tokens, does not limit the conversation: it is sent the part that fits. */
const smallWindow = 32_000;

function least(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function inTurn(
  [model, ...others]: readonly [Model, ...Model[]],
  request: ModelRequest,
  onReplaced: OnReplaced,
  earlier: readonly ModelError[] = [],
): AsyncIterable<ModelEvent> {
  return attempted(model.stream(request), {
    recover(error) {
      if (!(error instanceof ModelError)) throw error;
      const failures = [...earlier, error];
      // Two refusals without a reason: it is the request.
      const isRefused = error.code === "invalid_request" && earlier.some(({ code }) => code === error.code);
      if (isRefused || !mayHelp("another", error)) throw allFailed(failures);
      request.signal.throwIfAborted();
      const [next, ...rest] = others;
      // The last model's text is not withdrawn here: the error does that.
      if (next === undefined) throw allFailed(failures);
      const replaced = () => onReplaced(model.id, error);
      return another(error, () => inTurn([next, ...rest], request, onReplaced, failures), replaced);
    },
  });
}

async function* another(
  error: ModelError,
  next: () => AsyncIterable<ModelEvent>,
  replaced: () => void,
): AsyncGenerator<ModelEvent> {
  yield { type: "delayed", text: `${whyDelayed(error)} Asking another model instead.` };
  for await (const event of next()) {
    if (event.type === "finished") replaced();
    yield event;
  }
}

function allFailed(failures: readonly ModelError[]): ModelError {
  const last = failures.at(-1);
  if (last !== undefined && failures.length === 1) return last;
  const waits = failures.flatMap((failure) => failure.retryAfterMs ?? []);
  const reasons = failures.map((failure, index) => `(${index + 1}) ${failure.message}`).join(" ");
  // If one model may recover, waiting is worthwhile whatever the other failures are.
  const failure = failures.find((each) => mayHelp("later", each)) ?? last;
  return new ModelError(
    failure?.code ?? "unavailable",
    `None of ${failures.length} models answered. ${reasons}`,
    {
      cause: new AggregateError(failures),
      seen: failure?.seen,
      retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
    },
  );
}

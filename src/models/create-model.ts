import { type Model, ModelError } from "../core/ports/model.ts";
import { createAnthropicModel } from "./anthropic/anthropic.ts";
import { createFailoverModel, type OnReplaced } from "./around/failover-model.ts";
import { withFitting } from "./around/fitting-model.ts";
import { withImageFallback } from "./around/image-fallback.ts";
import { createRetryingModel, defaultRetryPolicy } from "./around/retrying-model.ts";
import { isLocalHost, type ModelClock, withWaitNotice } from "./around/slow-model.ts";
import { withTiming } from "./around/timed-model.ts";
import type { ModelFacts } from "./catalogue/model-facts.ts";
import { type ModelSettings, NamedModel } from "./named-model.ts";
import { createOpenAiModel } from "./openai/openai.ts";
import type { CalledModel } from "./provider-model.ts";
import { isLocal } from "./server-kind.ts";

/** Tokens of a window that are reserved for the answer unless a limit is set. */
const usualAnswerTokens = 32_000;

/**
 * The model of these settings, with retries, failover and prices. Each model is sent what fits its window. A missing key is an error
 * only when the model is called; the next model then takes over.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider.
 */
export function createModel(settings: ModelSettings, clock: ModelClock): Model {
  const { choice, failover = [] } = settings;
  const make = (name: string) => createOneModel(name, settings, clock);
  return listOfModels([choice, ...failover], make, settings.onReplaced);
}

/** The first model with the others as fallbacks. `offline` has no fallbacks, and is never a fallback. */
export function listOfModels(
  names: readonly string[],
  make: (name: string) => Model,
  onReplaced?: OnReplaced,
): Model {
  const [first, ...others] = names;
  if (first === undefined) throw new ModelError("not_configured", "No model is configured. Set KNACK_MODEL.");
  if (first === "offline") return make(first);
  const behind = [...new Set(others)].filter((name) => name !== "offline" && name !== first);
  return createFailoverModel(make(first), behind.map(make), onReplaced);
}

/**
 * One model of these settings, with retries and price, that is sent what fits its window. It remembers what it learns about its
 * server, so it should be made once.
 * @throws ModelError as `createModel`
 */
export function createOneModel(name: string, settings: ModelSettings, clock: ModelClock): Model {
  if (name === "offline") return lazyOfflineModel();
  const retry = { ...defaultRetryPolicy, ...settings.retry };
  const named = new NamedModel(name, settings);
  const { facts } = named;
  const asked = createNamedModel(named, facts, settings, clock);
  const timed = settings.onCall === undefined ? asked : withTiming(asked, settings.onCall, clock);
  return withFitting(
    withImageFallback(createRetryingModel(timed, retry, clock), facts.images),
    settings.maxOutputTokens ?? usualAnswerTokens,
  );
}

function createNamedModel(
  named: NamedModel,
  facts: ModelFacts,
  settings: ModelSettings,
  clock: ModelClock,
): Model {
  const { provider, model, server } = named;
  const { streaming = true, requestTimeoutMs = 600_000 } = settings;
  const idleTimeoutMs = server.idleTimeoutMs ?? settings.idleTimeoutMs ?? 60_000;
  const options: CalledModel = {
    provider,
    model,
    ...server,
    streaming,
    timeoutMs: streaming ? idleTimeoutMs : requestTimeoutMs,
    firstAnswerMs: streaming ? server.firstAnswerMs : undefined,
    maxOutputTokens: settings.maxOutputTokens,
    facts,
  };
  const made = server.kind === "anthropic" ? createAnthropicModel(options) : createOpenAiModel(options);
  const answering = withWaitNotice(made, isLocal(named.kind) || isLocalHost(named.host), clock);
  return { ...answering, window: facts.window ?? made.window, cache_ms: facts.cache_ms ?? made.cache_ms };
}

function lazyOfflineModel(): Model {
  return {
    id: "offline",
    generative: false,
    async *stream(request) {
      const { createOfflineModel } = await import("./offline/offline-model.ts");
      yield* createOfflineModel().stream(request);
    },
  };
}

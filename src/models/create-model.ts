import { type Model, type ModelCall, ModelError } from "../core/ports/model.ts";
import type { Clock } from "../core/ports/storage.ts";
import { createAnthropicModel } from "./anthropic/anthropic.ts";
import { attempted } from "./around/attempt.ts";
import { createFailoverModel, type OnReplaced } from "./around/failover-model.ts";
import { withFitting } from "./around/fitting-model.ts";
import { withImageFallback } from "./around/image-fallback.ts";
import { createRetryingModel, defaultRetryPolicy, type RetryPolicy } from "./around/retrying-model.ts";
import { isLocalHost, type ModelClock, withWaitNotice } from "./around/slow-model.ts";
import { listedModel, listedNames } from "./catalogue/catalogue.ts";
import { type ModelFacts, modelFacts, smallModelFor } from "./catalogue/model-facts.ts";
import { createOpenAiModel } from "./openai/openai.ts";
import type { PriceTable } from "./prices.ts";
import type { ProviderModelOptions } from "./provider-model.ts";
import { isLocal, type ServerKind, serverKindOf } from "./server-kind.ts";
import { lacksKey } from "./sign-requests.ts";

/**
 * One server of models. The defaults for `openai` and `anthropic` are the vendor's own address, the usual variable of its key, and that a
 * key is required there.
 */
export interface ProviderSettings
  extends Omit<
    ProviderModelOptions,
    "provider" | "model" | "streaming" | "timeoutMs" | "maxOutputTokens" | "facts"
  > {
  /** The API that it speaks. */
  kind: "openai" | "anthropic";
  /** Maximum silence of a stream, ms; that of the settings by default. */
  idleTimeoutMs?: number | undefined;
}

export interface ModelSettings {
  /** `provider/model`, or `offline`. */
  choice: string;
  /** Fallbacks in this order, each `provider/model`. `offline` is skipped. */
  failover?: readonly string[] | undefined;
  /** By the name before the slash. `openai` and `anthropic` need no entry. */
  providers?: Readonly<Record<string, ProviderSettings>> | undefined;
  /** True by default. */
  streaming?: boolean | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** Maximum silence of a stream, ms; 60,000 by default. */
  idleTimeoutMs?: number | undefined;
  /** Maximum wait for an answer that is not streamed, ms; 600,000 by default. */
  requestTimeoutMs?: number | undefined;
  /** Maximum tokens of an answer, including reasoning; depends on the model by default. */
  maxOutputTokens?: number | undefined;
  /** Facts by `provider/model` that replace those of the catalogue. */
  models?: Readonly<Record<string, ModelFacts>> | undefined;
  /** US dollars per million tokens by `provider/model`; they replace the catalogue's prices. */
  prices?: PriceTable | undefined;
  /** Called after each request. */
  onCall?: ((call: ModelCall) => void) | undefined;
  onReplaced?: OnReplaced | undefined;
}

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
  const asked = watched(createNamedModel(name, settings, clock), settings, clock);
  return withFitting(
    withImageFallback(createRetryingModel(asked, retry, clock), factsOfModel(name, settings).images),
    settings.maxOutputTokens ?? usualAnswerTokens,
  );
}

/**
 * Checks that a model can be called: its provider is known and has its key.
 * @throws ModelError `not_configured` that names what is missing
 */
export function checkUsable(name: string, settings: ModelSettings): void {
  const { server } = namedModel(name, settings);
  if (!lacksKey(server)) return;
  const { keyName = "its key" } = server;
  throw new ModelError("not_configured", `${name} has no key. An operator sets it with ${keyName}.`);
}

/** The models that the catalogue lists for usable providers, as `provider/model`. */
export function listedModelsOf(settings: ModelSettings): string[] {
  return Object.entries(providersOf(settings)).flatMap(([name, server]) => {
    if (lacksKey(server)) return [];
    return listedNames(kindOf(server)).map((model) => `${name}/${model}`);
  });
}

function providersOf({ providers }: Pick<ModelSettings, "providers">): Record<string, ProviderSettings> {
  return { openai: { kind: "openai" }, anthropic: { kind: "anthropic" }, ...providers };
}

/** A model of the settings and its server. */
interface NamedModel {
  provider: string;
  model: string;
  server: ProviderSettings;
}

/**
 * The model and server of a name in the settings.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider.
 */
export function namedModel(name: string, settings: Pick<ModelSettings, "providers">): NamedModel {
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  const model = name.slice(slash + 1);
  const providers = providersOf(settings);
  const server = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (server !== undefined && model !== "") return { provider, model, server };
  const known = Object.keys(providers).join(", ");
  throw new ModelError(
    "not_configured",
    `The model "${name}" is not usable: write provider/model, e.g. openai/gpt-6.1-terra. Known providers: ${known}.`,
  );
}

/**
 * Facts about a model by its name in the settings. Empty for `offline`.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider.
 */
export function factsOfModel(name: string, settings: ModelSettings): ModelFacts {
  return name === "offline" ? {} : knownFacts(namedModel(name, settings), name, settings);
}

/**
 * The small model of the same provider for internal work, as `provider/model`. Undefined when there is none, when the model is that
 * model, and for `offline`.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider.
 */
export function smallModelBeside(name: string, settings: ModelSettings): string | undefined {
  if (name === "offline") return undefined;
  const { provider, model, server } = namedModel(name, settings);
  const kind = kindOf(server);
  // Azure's deployments have names that people choose.
  const small = kind === "azure" ? undefined : smallModelFor(kind, model);
  return small === undefined ? undefined : `${provider}/${small}`;
}

/**
 * The vendor's small model, as `provider/model`, which `smallModelBeside` does not name because a vendor's model is reached at another
 * address: which models a gateway has is unknown. Undefined at the vendor's own address, for other models, and for `offline`.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider.
 */
export function smallModelBehindGateway(name: string, settings: ModelSettings): string | undefined {
  if (name === "offline") return undefined;
  const { provider, model, server } = namedModel(name, settings);
  if (kindOf(server) !== undefined || listedModel(server.kind, model) === undefined) return undefined;
  const small = smallModelFor(server.kind, model);
  return small === undefined ? undefined : `${provider}/${small}`;
}

/** Facts and prices in the settings take precedence over the catalogue. */
function knownFacts({ model, server }: NamedModel, name: string, settings: ModelSettings): ModelFacts {
  const { models = {}, prices = {} } = settings;
  return {
    ...modelFacts(kindOf(server), model),
    ...(Object.hasOwn(models, name) ? models[name] : {}),
    ...(Object.hasOwn(prices, name) ? { price: prices[name] } : {}),
  };
}

/** The kind of a provider's server. @throws ModelError `not_configured` for an invalid address */
export function kindOf(server: ProviderSettings): ServerKind | undefined {
  return serverKindOf(hostOf(server), server.server);
}

function hostOf({ kind, baseUrl }: ProviderSettings): string {
  if (baseUrl === undefined) return `api.${kind}.com`;
  if (URL.canParse(baseUrl)) return new URL(baseUrl).host;
  throw new ModelError("not_configured", `${baseUrl} is not a valid address of a model server.`);
}

function createNamedModel(name: string, settings: ModelSettings, clock: ModelClock): Model {
  const named = namedModel(name, settings);
  const { provider, model, server } = named;
  const { streaming = true, requestTimeoutMs = 600_000 } = settings;
  const idleTimeoutMs = server.idleTimeoutMs ?? settings.idleTimeoutMs ?? 60_000;
  const facts = knownFacts(named, name, settings);
  const options: ProviderModelOptions = {
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
  const answering = withWaitNotice(made, isLocal(kindOf(server)) || isLocalHost(hostOf(server)), clock);
  return { ...answering, window: facts.window ?? made.window, cache_ms: facts.cache_ms ?? made.cache_ms };
}

/** The same model with timed requests. */
function watched(model: Model, { onCall }: ModelSettings, clock: Pick<Clock, "now">): Model {
  if (onCall === undefined) return model;
  const [provider = "", ...name] = model.id.split("/");
  return {
    ...model,
    stream(request) {
      const from = clock.now();
      let isTold = false;
      const tell = (outcome: ModelCall["outcome"]) => {
        if (isTold) return;
        isTold = true;
        const duration_ms = Math.max(0, clock.now() - from);
        onCall({ provider, model: name.join("/"), duration_ms, outcome });
      };
      return attempted(model.stream(request), {
        pass(event) {
          if (event.type === "finished") tell("ok");
          return event;
        },
        recover(error) {
          const code = error instanceof ModelError ? error.code : "unavailable";
          tell(request.signal.aborted ? "stopped" : code);
          throw error;
        },
        ended: () => tell("stopped"),
      });
    },
  };
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

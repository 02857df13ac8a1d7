import { madeOnce } from "../base/made-once.ts";
import { type Model, type ModelChoice, ModelError, type Models } from "../core/ports/model.ts";
import { createAnthropicModel } from "./anthropic/anthropic.ts";
import { loadAnthropic } from "./anthropic/client.ts";
import { createFailoverModel, type OnReplaced } from "./around/failover-model.ts";
import { withFitting } from "./around/fitting-model.ts";
import { withImageFallback } from "./around/image-fallback.ts";
import { createRetryingModel, defaultRetryPolicy } from "./around/retrying-model.ts";
import { isLocalHost, type ModelClock, withWaitNotice } from "./around/slow-model.ts";
import { withTiming } from "./around/timed-model.ts";
import { listedModelsOf, type ModelSettings, NamedModel } from "./named-model.ts";
import { loadOpenAi } from "./openai/client.ts";
import { createOpenAiModel } from "./openai/openai.ts";
import type { CalledModel } from "./provider-model.ts";
import { isLocal } from "./server-kind.ts";

export interface ModelsSettings extends ModelSettings {
  /** The model for internal work: `provider/model`; `off` for the model of the turn; `auto` for its provider's small model. */
  small?: string | undefined;
  /** The models that people may choose: names, or prefixes that end with `*`. All by default. */
  allowed?: readonly string[] | undefined;
}

/** The models of these settings. Each is made on first use, with the failover list as fallbacks. */
export function createModels(settings: ModelsSettings, clock: ModelClock): Models {
  const { choice, failover = [] } = settings;
  const one = onceByName((name) => createOneModel(name, settings, clock));
  const list = onceByName((names) => listOfModels(names.split(" "), one, settings.onReplaced));
  const make = (...names: readonly string[]) => list(names.join(" "));
  const main = make(choice, ...failover);
  return {
    main,
    proposals: () => proposals(settings),
    named: (name, how) => orUnusable(name, () => make(name, ...(how?.alone ? [] : failover))),
    small(beside) {
      const name = smallName(beside, settings);
      // The model of the turn is the fallback of the small model.
      return name === undefined ? beside : make(name, beside.id, ...failover);
    },
    choose: (name) => chosen(name, settings),
  };
}

function onceByName(make: (name: string) => Model): (name: string) => Model {
  const made = new Map<string, Model>();
  return (name) => madeOnce(made, name, () => make(name));
}

function namesOf({ choice, failover = [], small, allowed = [] }: ModelsSettings): string[] {
  const named = allowed.filter((pattern) => !pattern.endsWith("*"));
  return [...new Set([choice, ...failover, ...(isName(small) ? [small] : []), ...named])];
}

function proposals(settings: ModelsSettings): { name: string; description: string }[] {
  const all = new Set([...namesOf(settings), ...listedModelsOf(settings)]);
  return [...all]
    .filter((name) => isName(name) && mayBeChosen(name, settings))
    .map((name) => ({ name, description: priceOf(name, settings) }));
}

/** `$2 in, $10 out per million tokens`; empty when unknown. */
function priceOf(name: string, settings: ModelsSettings): string {
  const { price } = new NamedModel(name, settings).facts;
  return price === undefined ? "" : `$${price.input} in, $${price.output} out per million tokens`;
}

function isName(name: string | undefined): name is string {
  return name?.includes("/") === true;
}

/** Undefined when the model of the turn does its internal work itself. */
function smallName(beside: Model, settings: ModelsSettings): string | undefined {
  const { small = "auto" } = settings;
  if (!beside.generative || small === "off") return undefined;
  const name = isName(small) ? small : new NamedModel(beside.id, settings).small;
  return name === beside.id ? undefined : name;
}

/** The model, or one that fails with the reason: a channel may name a model that an operator has removed. */
function orUnusable(id: string, make: () => Model): Model {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return {
      id,
      generative: true,
      // biome-ignore lint/correctness/useYield: it fails before the first event
      async *stream() {
        throw error;
      },
    };
  }
}

function chosen(name: string, settings: ModelsSettings): ModelChoice {
  const whole = namesOf(settings).find((known) => known === name || known.endsWith(`/${name}`)) ?? name;
  if (!mayBeChosen(whole, settings)) {
    const { allowed = [] } = settings;
    const message = `The model ${whole} is not allowed here. Allowed models: ${allowed.join(", ") || "none"}.`;
    return { ok: false, message };
  }
  try {
    const named = new NamedModel(whole, settings);
    named.requireKey();
    const { window, retires } = named.facts;
    const note =
      retires === undefined ? (window === undefined ? unknown : undefined) : `It ends on ${retires}.`;
    return { ok: true, name: whole, note };
  } catch (error) {
    if (error instanceof ModelError) return { ok: false, message: error.message };
    throw error;
  }
}

const unknown =
  "This model is not in the catalogue. If its server does not have it, messages fail. `knack models` lists the models of your providers.";

function mayBeChosen(name: string, { allowed = ["*"] }: ModelsSettings): boolean {
  return allowed.some((pattern) => fits(pattern, name));
}

/** Whether a name matches a pattern, which may end with `*`. */
function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
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
function listOfModels(
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
function createOneModel(name: string, settings: ModelSettings, clock: ModelClock): Model {
  if (name === "offline") return lazyOfflineModel();
  const retry = { ...defaultRetryPolicy, ...settings.retry };
  const named = new NamedModel(name, settings);
  const { facts } = named;
  const asked = createNamedModel(named, settings, clock);
  const timed = settings.onCall === undefined ? asked : withTiming(asked, settings.onCall, clock);
  return withFitting(
    withImageFallback(createRetryingModel(timed, retry, clock), facts.images),
    settings.maxOutputTokens ?? usualAnswerTokens,
  );
}

function createNamedModel(named: NamedModel, settings: ModelSettings, clock: ModelClock): Model {
  const { provider, model, server, facts } = named;
  const { streaming = true, requestTimeoutMs = 600_000 } = settings;
  const idleTimeoutMs = server.idleTimeoutMs ?? settings.idleTimeoutMs ?? 60_000;
  const called: CalledModel = {
    provider,
    model,
    ...server,
    streaming,
    timeoutMs: streaming ? idleTimeoutMs : requestTimeoutMs,
    firstAnswerMs: streaming ? server.firstAnswerMs : undefined,
    maxOutputTokens: settings.maxOutputTokens,
    facts,
  };
  const made = server.kind === "anthropic" ? createAnthropicModel(called) : createOpenAiModel(called);
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

const sdks = { openai: loadOpenAi, anthropic: loadAnthropic };

/** Loads the SDKs of the configured models, some 100 ms of CPU time each, so that the first person does not wait for them. */
export async function loadSdks(
  settings: Pick<ModelSettings, "choice" | "failover" | "providers">,
): Promise<void> {
  const names = [settings.choice, ...(settings.failover ?? [])].filter((name) => name !== "offline");
  const kinds = new Set(names.map((name) => new NamedModel(name, settings).server.kind));
  await Promise.all([...kinds].map((kind) => sdks[kind]()));
}

import { type ModelCall, ModelError } from "../core/ports/model.ts";
import type { OnReplaced } from "./around/failover-model.ts";
import type { RetryPolicy } from "./around/retrying-model.ts";
import { listedModel, listedNames } from "./catalogue/catalogue.ts";
import { type ModelFacts, modelFacts, smallModelFor } from "./catalogue/model-facts.ts";
import type { PriceTable } from "./prices.ts";
import type { ModelServer } from "./provider-model.ts";
import { type ServerKind, serverKindOf } from "./server-kind.ts";
import { lacksKey } from "./sign-requests.ts";

/**
 * One server of models. The defaults for `openai` and `anthropic` are the vendor's own address, the usual variable of its key, and that a
 * key is required there.
 */
export interface ProviderSettings extends ModelServer {
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

/** What can be known of a model by its name in the settings, which is `provider/model`. */
export class NamedModel {
  readonly provider: string;
  /** Its name at the provider. */
  readonly model: string;
  readonly server: ProviderSettings;
  readonly #name: string;
  readonly #settings: Pick<ModelSettings, "models" | "prices">;

  /** @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider */
  constructor(name: string, settings: Pick<ModelSettings, "providers" | "models" | "prices">) {
    const slash = name.indexOf("/");
    this.provider = name.slice(0, Math.max(0, slash));
    this.model = name.slice(slash + 1);
    const providers = providersOf(settings);
    const server = ownOf(providers, this.provider);
    if (server === undefined || this.model === "") {
      const known = Object.keys(providers).join(", ");
      throw new ModelError(
        "not_configured",
        `The model "${name}" is not usable: write provider/model, e.g. openai/gpt-6.1-terra. Known providers: ${known}.`,
      );
    }
    this.server = server;
    this.#name = name;
    this.#settings = settings;
  }

  /** The kind of its server. @throws ModelError `not_configured` for an invalid address */
  get kind(): ServerKind | undefined {
    return kindOf(this.server);
  }

  /** The host of its server. @throws ModelError `not_configured` for an invalid address */
  get host(): string {
    return hostOf(this.server);
  }

  /** Facts and prices in the settings take precedence over the catalogue. */
  get facts(): ModelFacts {
    const { models = {}, prices = {} } = this.#settings;
    const facts = { ...modelFacts(this.kind, this.model), ...ownOf(models, this.#name) };
    return { ...facts, price: ownOf(prices, this.#name) ?? facts.price };
  }

  /** The small model of the same provider for internal work, as `provider/model`. Undefined if there is none, or it is this model. */
  get small(): string | undefined {
    // Azure's deployments have names that people choose.
    return this.kind === "azure" ? undefined : this.#smallOf(this.kind);
  }

  /**
   * The vendor's small model, as `provider/model`, where a vendor's model is reached at another address. It is not `small`, because which
   * models a gateway has is unknown.
   */
  get smallBehindGateway(): string | undefined {
    const vendor = this.server.kind;
    const isBehind = this.kind === undefined && listedModel(vendor, this.model) !== undefined;
    return isBehind ? this.#smallOf(vendor) : undefined;
  }

  /** @throws ModelError `not_configured` that names the key if it is missing */
  requireKey(): void {
    if (!lacksKey(this.server)) return;
    const { keyName = "its key" } = this.server;
    throw new ModelError("not_configured", `${this.#name} has no key. An operator sets it with ${keyName}.`);
  }

  #smallOf(kind: ServerKind | undefined): string | undefined {
    const small = smallModelFor(kind, this.model);
    return small === undefined ? undefined : `${this.provider}/${small}`;
  }
}

/** The models that the catalogue lists for usable providers, as `provider/model`. */
export function listedModelsOf(settings: ModelSettings): string[] {
  return Object.entries(providersOf(settings)).flatMap(([name, server]) => {
    if (lacksKey(server)) return [];
    return listedNames(kindOf(server)).map((model) => `${name}/${model}`);
  });
}

/** The entry of a name, which may be `constructor`. */
function ownOf<Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function providersOf({ providers }: Pick<ModelSettings, "providers">): Record<string, ProviderSettings> {
  return { openai: { kind: "openai" }, anthropic: { kind: "anthropic" }, ...providers };
}

function kindOf(server: ProviderSettings): ServerKind | undefined {
  return serverKindOf(hostOf(server), server.server);
}

function hostOf({ kind, baseUrl }: ProviderSettings): string {
  if (baseUrl === undefined) return `api.${kind}.com`;
  if (URL.canParse(baseUrl)) return new URL(baseUrl).host;
  throw new ModelError("not_configured", `${baseUrl} is not a valid address of a model server.`);
}

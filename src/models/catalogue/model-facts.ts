import type { Effort } from "../../core/values/message.ts";
import type { Price } from "../prices.ts";
import { isLocal, type ServerKind } from "../server-kind.ts";
import { listedAs, listedModel, retirementOf } from "./catalogue.ts";
import type { CatalogueModel } from "./catalogue-format.ts";
import { cacheMs, familyFacts } from "./family-facts.ts";
import { smallModels, smallModelsOfVendors } from "./hand-kept.ts";
import { spellingOf } from "./model-names.ts";

/** What is known about a model. Whatever is not known is absent. */
export interface ModelFacts {
  /** Tokens a request may have, answer included. */
  window?: number | undefined;
  /** Most tokens of an answer, reasoning included. */
  output?: number | undefined;
  /** How long a prompt surely stays in the provider's cache after its last use, ms. */
  cache_ms?: number | undefined;
  /** Whether it takes pictures. */
  images?: boolean | undefined;
  /** Whether it reasons. */
  thinking?: CatalogueModel["thinking"] | undefined;
  /** The words for effort it takes, least first; none for a model that does not take any. */
  efforts?: readonly Effort[] | undefined;
  /** What a system message in the middle of a conversation can change. */
  in_place?: readonly ("tools" | "effort")[] | undefined;
  /** List price of its server. */
  price?: Price | undefined;
  /** The last day it may answer, `2026-11-30`. */
  retires?: string | undefined;
  /** What its vendor names instead of a model that ends. */
  successor?: string | undefined;
}

/**
 * What is known about a model: from the catalogue, else what holds for all of its family.
 * @param server the kind of server it is at. Undefined for one that is not known: a name of a vendor's own model is taken
 * to mean that model, behind a proxy.
 * @param model its name at the server. Prefixes (`anthropic/…`), dates, variants (`:free`), and `.` for `-` are understood.
 */
export function modelFacts(server: ServerKind | undefined, model: string): ModelFacts {
  // What these take depends on how the server was started.
  if (isLocal(server)) return {};
  const name = model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:.*$/, "");
  const found = listedModel(server, model);
  const { context, price, ...listed } = found?.value ?? {};
  const { retires, successor } = retirementOf(server, model) ?? {};
  return {
    ...familyFacts(name),
    cache_ms: cacheMs(name),
    ...(context === undefined ? {} : { window: context }),
    ...listed,
    ...(price === undefined || found?.isVariant === true ? {} : { price }),
    ...(retires === undefined ? {} : { retires, successor }),
  };
}

/**
 * The model of the same server for inner work. Undefined when there is none, or the model is that one.
 * @param server see `serverKindOf`
 */
export function smallModelFor(server: ServerKind | undefined, model: string): string | undefined {
  if (server === undefined) return undefined;
  const small =
    server === "openrouter"
      ? smallModelsOfVendors[model.toLowerCase().replace(/^~/, "").replace(/\/.*$/, "")]
      : smallModels[listedAs(server) as keyof typeof smallModels];
  return small === undefined || spellingOf(small).undated === spellingOf(model).undated ? undefined : small;
}

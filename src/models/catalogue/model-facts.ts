import type { Effort } from "../../core/values/message.ts";
import { openAiFamily } from "../openai/family.ts";
import type { Price } from "../prices.ts";
import { isLocal, type ServerKind } from "../server-kind.ts";
import { listedAs, listedModel, retirementOf, spellingOf } from "./catalogue.ts";
import type { CatalogueModel } from "./catalogue-format.ts";
import { smallModels, smallModelsOfVendors } from "./hand-kept.ts";

/** Facts about a model. Unknown facts are absent. */
export interface ModelFacts {
  /** Maximum tokens of a request, including the answer. */
  window?: number | undefined;
  /** Maximum tokens of an answer, including reasoning. */
  output?: number | undefined;
  /** Guaranteed time of a prompt in the provider's cache after its last use, ms. */
  cache_ms?: number | undefined;
  /** Whether it takes pictures. */
  images?: boolean | undefined;
  /** Whether it reasons. */
  thinking?: CatalogueModel["thinking"] | undefined;
  /** The efforts that it takes, lowest first; empty for a model that takes none. */
  efforts?: readonly Effort[] | undefined;
  /** What a system message can change during a conversation. */
  in_place?: readonly ("tools" | "effort")[] | undefined;
  /** List price of its server. */
  price?: Price | undefined;
  /** The last day of service, `2026-11-30`. */
  retires?: string | undefined;
  /** The vendor's replacement for a model that ends. */
  successor?: string | undefined;
}

/**
 * Facts about a model from the catalogue, or those of its family.
 * @param server the kind of its server. Undefined for an unknown server: the name of a vendor's own model then means that model
 * behind a proxy.
 * @param model its name at the server. Prefixes (`anthropic/…`), dates, variants (`:free`), and `.` for `-` are recognised.
 */
export function modelFacts(server: ServerKind | undefined, model: string): ModelFacts {
  // The limits of these depend on how the server was started.
  if (isLocal(server)) return {};
  const name = model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:.*$/, "");
  const found = listedModel(server, model);
  const { context, price, ...listed } = found?.value ?? {};
  const { retires, successor } = retirementOf(server, model) ?? {};
  const family = familyFacts(name);
  return {
    ...family,
    cache_ms: cacheMs(name),
    window: context ?? family.window,
    ...listed,
    price: found?.isVariant === true ? undefined : price,
    retires,
    successor,
  };
}

/**
 * The model of the same server for internal work. Undefined when there is none, or the model is that model.
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

type FamilyFacts = Pick<ModelFacts, "window" | "output" | "efforts">;

const minutes = 60_000;

const million: FamilyFacts = { window: 1_000_000, output: 128_000 };

/**
 * The first entry whose pattern matches the name without prefixes applies. Self-hosted models are not listed: the start of their
 * server determines the window.
 * https://platform.claude.com/docs/en/about-claude/models, https://developers.openai.com/api/docs/models,
 * https://ai.google.dev/gemini-api/docs/models, https://docs.x.ai/docs/models, https://api-docs.deepseek.com
 */
const table: readonly (readonly [RegExp, FamilyFacts])[] = [
  [/^claude-(?:[a-z]+)-(?:[5-9]|\d{2})(?:-|$)/, million],
  [/^claude-(?:opus|sonnet)-4-[6-9](?:-|$)/, million],
  [/^claude-opus-4-5/, { window: 200_000, output: 64_000 }],
  [/^claude-opus-4/, { window: 200_000, output: 32_000 }],
  [/^claude-(?:sonnet|haiku)-4/, { window: 200_000, output: 64_000 }],
  [/^claude-3-7/, { window: 200_000, output: 64_000 }],
  [/^claude-3-5/, { window: 200_000, output: 8192 }],
  [/^claude-(?:\d|instant|v\d)/, { window: 200_000, output: 4096 }],
  [/^claude-/, { window: 200_000, output: 64_000 }],
  [/^gpt-4\.1/, { window: 1_047_576, output: 32_768 }],
  [/^gpt-4o/, { window: 128_000, output: 16_384 }],
  [/^gpt-4-turbo/, { window: 128_000, output: 4096 }],
  [/^gpt-4(?:-|$)/, { window: 8192, output: 4096 }],
  [/^gpt-3/, { window: 16_385, output: 4096 }],
  [/^o[134](?:-|$)/, { window: 200_000, output: 100_000 }],
  [/^gemini-/, { window: 1_048_576, output: 65_536 }],
  [/^grok-4\.[3-9]/, { window: 500_000 }],
  [/^deepseek-(?:flash|v4-pro)$/, { window: 1_000_000 }],
];

/**
 * Facts about all models of a family, for names that the catalogue does not list.
 * @param name in lower case, without prefixes
 */
function familyFacts(name: string): FamilyFacts {
  return openAiFacts(name) ?? table.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}

/** Of the window of gpt-6, 922,000 tokens may be input. */
function openAiFacts(name: string): FamilyFacts | undefined {
  const family = openAiFamily(name);
  if (family === undefined) return undefined;
  const { efforts } = family;
  if (!family.reasons) return { window: 128_000, output: 16_384, efforts };
  if (name.includes("spark")) return { window: 128_000, output: 32_000, efforts };
  return { window: family.version >= 600 ? 1_050_000 : 400_000, output: 128_000, efforts };
}

/**
 * Guaranteed time of a prompt in the cache, ms.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching,
 * https://developers.openai.com/api/docs/guides/prompt-caching
 * @param name in lower case, without prefixes
 */
function cacheMs(name: string): number | undefined {
  if ((openAiFamily(name)?.version ?? 0) >= 506) return 30 * minutes;
  return /^(?:claude-|gpt-[345]|o[134](?:-|$))/.test(name) ? 5 * minutes : undefined;
}

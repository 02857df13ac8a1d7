import { providerOfModel } from "../../config/model-providers.ts";
import type { Config } from "../../config/schema.ts";
import { enginesIn } from "../../config/search-schema.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { ModelFacts } from "../../models/catalogue/model-facts.ts";
import type { LocalServer } from "../../models/local-servers.ts";
import { type ModelSettings, NamedModel } from "../../models/named-model.ts";
import { embeddingPrice } from "../../models/openai/embedder.ts";
import { transcriptionPrice } from "../../models/openai/transcriber.ts";
import { howToGetOne } from "../../web-search/create-web-search.ts";
import { encyclopaedia } from "../../web-search/engines.ts";
import { modelSettings } from "../../wiring/app-settings.ts";
import { openSearch } from "../../wiring/open-work-means.ts";
import { systemClock } from "../../wiring/system-clock.ts";
import { type Finding, failure, findingsByReason, fine, warning } from "./doctor-finding.ts";
import { adviceForOffline } from "./model-advice.ts";

/**
 * Whether every configured model has the settings it needs.
 * @param names names of the models
 * @param local addresses to search for model servers if no model is configured
 */
export async function checkModelKeys(
  config: Config,
  names: readonly string[],
  local: readonly LocalServer[],
): Promise<Finding[]> {
  if (config.model.choice === "offline") {
    const detail =
      "offline: only commands, skills by their name and their examples work, without a language model";
    return [warning("model", detail, (await adviceForOffline(config, local)).join(" "))];
  }
  const found = names.map((place) => {
    const provider = providerOfModel(place, config.model);
    const access = provider?.section.api_key === undefined ? "at its own address" : "with a key";
    const missing = provider?.missing;
    const advice = missing && `Set ${missing.set}, or choose another model with KNACK_MODEL.`;
    return { place, advice, reason: missing === undefined ? access : `no ${missing.what}: ${missing.set}` };
  });
  return findingsByReason(found, (detail, [{ advice }]) =>
    advice === undefined ? fine("model", detail) : failure("model", detail, advice),
  );
}

const unknownPrice = "its price is not known, so its cost is not counted";

type Settings = ReturnType<typeof modelSettings>;

/** Work beside conversation, by the setting of its model: what happens if it is off, providers that do it, and how it is done. */
const otherWork = {
  transcription: {
    name: "voice messages",
    without: "off: people are told that they are not transcribed",
    servers: "openai, groq, mistral",
    done: (model: string, settings: Settings) => `transcribed by ${model}, ${costOfSpeech(settings)}`,
  },
  images: {
    name: "pictures",
    without: "off, except diagrams and charts, which need no service",
    servers: "openai, xai",
    done: (model: string) => `made by ${model}`,
  },
  embeddings: {
    name: "knowledge",
    without: "semantic search is off: documents are found by their words",
    servers: "openai, gemini, mistral",
    done(model: string, settings: Settings) {
      const price = embeddingPrice(settings);
      const cost = price === undefined ? unknownPrice : `$${price.input} a million tokens`;
      return `documents are found by meaning too, with ${model}, ${cost}`;
    },
  },
};

function costOfSpeech(settings: Settings): string {
  const price = transcriptionPrice(settings);
  if (price === undefined) return unknownPrice;
  return "minute" in price ? `$${Number(price.minute.toPrecision(2))} a minute` : "priced by the token";
}

/** Voice messages, pictures and semantic search in documents: whether the model of each has the settings it needs. */
export function checkOtherWork(config: Config): Finding[] {
  const { model } = config;
  return (["transcription", "images", "embeddings"] as const).map((setting) => {
    const { name, without, servers, done } = otherWork[setting];
    const chosen = model[setting];
    if (chosen === "off")
      return fine(name, `${without}. Set model.${setting} to a model of ${servers} or a server of your own.`);
    const missing = providerOfModel(chosen, model)?.missing;
    if (missing === undefined) return fine(name, done(chosen, modelSettings(config)));
    const advice = `Set ${missing.set}, or model.${setting} to another model, or off.`;
    return failure(name, `${chosen} has no ${missing.what}`, advice);
  });
}

/** The engines of web search, and how to get one. */
export function checkSearch(config: Config): Finding {
  const name = "web search";
  const { engines: chosen } = config.search;
  if (chosen.length === 0) return fine(name, "switched off (search.engines is [])");
  const { engines } = openSearch(config, new Set(), systemClock);
  const words = engines.join(", ");
  if (chosen !== "auto" && engines.length < enginesIn(config.search).length) {
    const detail = `${words || "nothing"}; model is in search.engines, but its provider has no search of its own`;
    return warning(name, detail, `Take it out of search.engines. ${howToGetOne}`);
  }
  return fine(name, words === encyclopaedia ? `${words} alone, which needs no key. ${howToGetOne}` : words);
}

const dayMs = 86_400_000;

/** Days before the end of a model at which the warning begins. */
const noticeDays = 60;

/**
 * A warning for each model that is about to end or has ended.
 * @param names as the configuration writes them, `provider/model`; `offline` never ends
 * @param now ms since 1970
 */
export function checkModelLifetimes(
  names: readonly string[],
  settings: ModelSettings,
  now: number,
): Finding[] {
  return [...new Set(names)].flatMap((name) => {
    const { retires, successor } = knownFacts(name, settings);
    if (retires === undefined) return [];
    const days = Math.round((Date.parse(retires) - Math.floor(now / dayMs) * dayMs) / dayMs);
    if (days > noticeDays) return [];
    const other = successor === undefined ? "another model" : name.replace(/\/.*/, `/${successor}`);
    const detail = days < 0 ? `${name} ended on ${retires}` : `${name} ends on ${retires}, ${inDays(days)}`;
    return [warning("model", detail, `Use ${other} instead.`)];
  });
}

/** Another check reports models whose provider is not set up. */
function knownFacts(name: string, settings: ModelSettings): ModelFacts {
  try {
    return new NamedModel(name, settings).facts;
  } catch (error) {
    if (error instanceof ModelError) return {};
    throw error;
  }
}

function inDays(days: number): string {
  return ["today", "tomorrow"][days] ?? `in ${days} days`;
}

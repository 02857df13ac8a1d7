import { ModelError } from "../core/model.ts";
import type { ModelFacts } from "../models/catalogue/model-facts.ts";
import { factsOfModel, type ModelSettings } from "../models/create-model.ts";
import type { Finding } from "./doctor-finding.ts";

const dayMs = 86_400_000;

/** How many days ahead the end of a model is told. */
const noticeDays = 60;

/**
 * A warning for each model that ends soon or has ended.
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
    const provider = name.slice(0, name.indexOf("/"));
    const other = successor === undefined ? "another model" : `${provider}/${successor}`;
    const detail = days < 0 ? `${name} ended on ${retires}` : `${name} ends on ${retires}, ${inDays(days)}`;
    return [{ name: "model", status: "warning" as const, detail, advice: `Use ${other} instead.` }];
  });
}

/** A model whose provider is not set up is another check's affair. */
function knownFacts(name: string, settings: ModelSettings): ModelFacts {
  try {
    return factsOfModel(name, settings);
  } catch (error) {
    if (error instanceof ModelError) return {};
    throw error;
  }
}

function inDays(days: number): string {
  if (days === 0) return "today";
  return days === 1 ? "tomorrow" : `in ${days} days`;
}

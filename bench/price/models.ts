import type { ModelSettings } from "../../src/models/create-model.ts";
import { type ModelPrice, modelPrices } from "../../test/support/vendors/model-prices.ts";
import type { Vendors } from "../../test/support/vendors/vendors.ts";

/** A model that tasks are priced with. */
export interface PricedModel {
  /** `provider/model`. */
  choice: string;
  /** Takes new tools in the middle of a conversation; elsewhere the list of tools changes, and the cache with it. */
  in_place: boolean;
}

const inPlace: readonly PricedModel[] = [
  { choice: "anthropic/claude-sonnet-5-5", in_place: true },
  { choice: "openai/gpt-6.1-terra", in_place: true },
  { choice: "anthropic/claude-haiku-5-5", in_place: true },
];
const mini: PricedModel = { choice: "openai/gpt-5.4-mini", in_place: false };
const deepSeek: PricedModel = { choice: "deepseek/deepseek-v4-pro", in_place: true };

/** Those the tasks are priced with. */
export const pricedModels: readonly PricedModel[] = [...inPlace, mini, deepSeek];

/** Those whose cached share is measured. */
export const cachedModels: readonly PricedModel[] = [
  ...inPlace,
  mini,
  { choice: "openai/gpt-5-mini", in_place: false },
  deepSeek,
];

/** US dollars per million tokens. DeepSeek: https://api-docs.deepseek.com/quick_start/pricing, November 2026. */
export const prices: Readonly<Record<string, ModelPrice>> = {
  ...modelPrices,
  "deepseek-v4-pro": { input: 1.32, output: 3.96, cache_read: 0.044, cache_write: 1.32 },
};

/** The model's name at its provider. */
export function modelName({ choice }: PricedModel): string {
  return choice.slice(choice.indexOf("/") + 1);
}

/** The stand-in's servers, as an operator would configure them. A request that fails is not repeated. */
export function settingsFor({ choice }: PricedModel, vendors: Vendors): ModelSettings {
  const openai = { kind: "openai", apiKey: "bench-key" } as const;
  return {
    choice,
    retry: { attempts: 1 },
    providers: {
      anthropic: { kind: "anthropic", apiKey: "bench-key", baseUrl: vendors.anthropicUrl },
      openai: { ...openai, baseUrl: vendors.openAiUrl },
      deepseek: { ...openai, server: "deepseek", baseUrl: vendors.compatibleUrl("deepseek") },
    },
  };
}

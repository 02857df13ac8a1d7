import type { ModelSettings } from "../src/models/named-model.ts";
import type { Vendors } from "../test/support/vendors/vendors.ts";

/** A model whose cached share is measured. */
export interface CachedModel {
  /** `provider/model`. */
  choice: string;
  /** Takes new tools in the middle of a conversation; elsewhere the list of tools changes, and the cache with it. */
  in_place: boolean;
}

export const cachedModels: readonly CachedModel[] = [
  { choice: "anthropic/claude-sonnet-5-5", in_place: true },
  { choice: "openai/gpt-6.1-terra", in_place: true },
  { choice: "anthropic/claude-haiku-5-5", in_place: true },
  { choice: "openai/gpt-5.4-mini", in_place: false },
  { choice: "openai/gpt-5-mini", in_place: false },
  { choice: "deepseek/deepseek-v4-pro", in_place: true },
];

/** The stand-in's servers, as an operator would configure them. A request that fails is not repeated. */
export function settingsFor({ choice }: CachedModel, vendors: Vendors): ModelSettings {
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

import type { ListedServer } from "./catalogue-format.ts";

/** The end of a model at a server. */
export interface Retirement {
  /** Names that end on that day. Dated names of a model end with it unless they have an entry of their own. */
  models: readonly string[];
  /** The last day of service, `2026-11-30`. */
  retires: string;
  /** The vendor's replacement. */
  successor: string;
}

/**
 * Models that end or have ended, as their vendors announced by November 2026; "not sooner than" does not count. A model that ended on
 * its vendor's servers may still be available elsewhere.
 * https://platform.claude.com/docs/en/about-claude/model-deprecations
 * https://developers.openai.com/api/docs/deprecations
 * https://ai.google.dev/gemini-api/docs/deprecations
 * https://docs.x.ai/docs/migration/may-15-retirement
 * https://console.groq.com/docs/deprecations
 */
export const retirements: Readonly<Partial<Record<ListedServer, readonly Retirement[]>>> = {
  anthropic: [
    // DEPRECATED_MODELS of @anthropic-ai/sdk 1.12 has this date too.
    { models: ["claude-sonnet-4-5"], retires: "2026-11-30", successor: "claude-sonnet-5-5" },
    { models: ["claude-opus-4-1"], retires: "2026-08-05", successor: "claude-opus-4-8" },
    {
      models: ["claude-sonnet-4", "claude-sonnet-4-0"],
      retires: "2026-06-15",
      successor: "claude-sonnet-4-6",
    },
    { models: ["claude-opus-4", "claude-opus-4-0"], retires: "2026-06-15", successor: "claude-opus-4-8" },
  ],
  openai: [
    {
      models: ["gpt-4", "gpt-4-turbo", "gpt-4o-2024-05-13", "o1", "o1-pro", "o3-mini"],
      retires: "2026-10-23",
      successor: "gpt-5.6-sol",
    },
    { models: ["gpt-3.5-turbo", "o4-mini"], retires: "2026-10-23", successor: "gpt-5.6-terra" },
    { models: ["gpt-4.1-nano"], retires: "2026-10-23", successor: "gpt-5.6-luna" },
    { models: ["gpt-5-chat-latest"], retires: "2026-07-23", successor: "gpt-5.5" },
    { models: ["gpt-5", "gpt-5-pro", "o3", "o3-pro"], retires: "2026-12-11", successor: "gpt-6.1-sol" },
    { models: ["gpt-5-mini"], retires: "2026-12-11", successor: "gpt-6.1-terra" },
    { models: ["gpt-5-nano"], retires: "2026-12-11", successor: "gpt-6-luna" },
    {
      models: ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"],
      retires: "2027-01-14",
      successor: "gpt-6-luna",
    },
  ],
  gemini: [
    { models: ["gemini-2.5-pro"], retires: "2026-12-01", successor: "gemini-3.8-flash" },
    { models: ["gemini-2.5-flash"], retires: "2026-12-01", successor: "gemini-3.5-flash-lite" },
  ],
  xai: [
    {
      models: [
        "grok-3",
        "grok-4-0709",
        "grok-4-fast-reasoning",
        "grok-4-1-fast-reasoning",
        "grok-code-fast-1",
      ],
      retires: "2026-05-15",
      successor: "grok-4.3",
    },
  ],
  groq: [
    {
      models: ["llama-3.3-70b-versatile", "llama-3.1-8b-instant"],
      retires: "2026-08-16",
      successor: "openai/gpt-oss-120b",
    },
  ],
};

/**
 * The model of a server for internal work such as summaries: the cheapest that does it well. Servers whose models cost about the
 * same have none.
 */
export const smallModels: Readonly<Partial<Record<ListedServer, string>>> = {
  anthropic: "claude-haiku-5-5",
  openai: "gpt-6-luna",
  gemini: "gemini-3.5-flash-lite",
  deepseek: "deepseek-flash",
  mistral: "mistral-small-latest",
  groq: "openai/gpt-oss-20b",
};

/** Small models at OpenRouter, by the vendor prefix of its names. */
export const smallModelsOfVendors: Readonly<Record<string, string>> = {
  anthropic: "anthropic/claude-haiku-5.5",
  openai: "openai/gpt-6-luna",
  google: "google/gemini-3.5-flash-lite",
};

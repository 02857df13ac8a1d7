/** Capabilities of a Claude model. */
export interface ClaudeFacts {
  context: number;
  output: number;
  /** `tool_choice` any or tool. */
  forced_tools: boolean;
  /** `thinking: disabled`. */
  disabled: "always" | "up_to_high" | "never";
  between_tools: boolean;
  /** `thinking: enabled` with a budget. */
  budget: boolean;
  /** temperature, top_p and top_k. */
  sampling: boolean;
  prefill: boolean;
  /** System messages among the others, tools changed by them. */
  in_place: boolean;
  /** Efforts; empty when the parameter is unknown. */
  efforts: readonly string[];
  effort_in_place: boolean;
  /** Thinks although nothing asked for it. */
  thinks: boolean;
  /** Thinking is checked against all that precedes it. */
  bound: boolean;
  /** Thinking is bound to the account too. */
  account_bound: boolean;
  /** Other models whose thinking it reads. */
  reads: readonly string[];
  /** Shorter prefixes are not cached, tokens. */
  cache_minimum: number;
}

const all = ["low", "medium", "high", "xhigh", "max"];

const older: ClaudeFacts = {
  context: 200_000,
  output: 64_000,
  forced_tools: true,
  disabled: "always",
  between_tools: false,
  budget: true,
  sampling: true,
  prefill: true,
  in_place: false,
  efforts: [],
  effort_in_place: false,
  thinks: false,
  bound: false,
  account_bound: false,
  reads: [],
  cache_minimum: 1_024,
};

const fifth: ClaudeFacts = {
  ...older,
  context: 1_000_000,
  output: 128_000,
  sampling: false,
  prefill: false,
  budget: false,
  efforts: all,
  cache_minimum: 512,
};

const bound = { in_place: true, effort_in_place: true, thinks: true, bound: true } as const;
const alwaysThinks = { ...fifth, ...bound, forced_tools: false, disabled: "never" } as const;

const models: Readonly<Record<string, ClaudeFacts>> = {
  "claude-fable-5-2": { ...alwaysThinks, reads: ["claude-opus-5-5", "claude-opus-5"] },
  "claude-fable-5-1": { ...alwaysThinks, reads: ["claude-opus-5-5", "claude-opus-5"] },
  "claude-opus-5-5": alwaysThinks,
  "claude-sonnet-5-5": { ...alwaysThinks, between_tools: true, account_bound: true },
  "claude-haiku-5-5": { ...fifth, ...bound, disabled: "up_to_high", account_bound: true },
  "claude-opus-5": { ...fifth, in_place: true, effort_in_place: true, thinks: true, disabled: "up_to_high" },
  "claude-opus-4-8": { ...fifth, in_place: true },
  "claude-sonnet-5": fifth,
  "claude-sonnet-4-5": older,
  "claude-haiku-4-5": { ...older, cache_minimum: 4_096 },
};

/** Undefined for a model Anthropic does not have. A date behind the name is passed over. */
export function claudeFacts(model: string): ClaudeFacts | undefined {
  const name = model.replace(/-\d{8}$/, "");
  return Object.hasOwn(models, name) ? models[name] : undefined;
}

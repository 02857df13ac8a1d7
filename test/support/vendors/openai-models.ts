/** Capabilities of an OpenAI model. */
export interface GptFacts {
  context: number;
  output: number;
  efforts: readonly string[];
  /** The default effort. */
  effort: string;
  /** `additional_tools` items, `prompt_cache_options`, paid cache writes: gpt-5.6 and later. */
  additional_tools: boolean;
  /** `tool_search_call` and `tool_search_output`: gpt-5.4 and later. */
  tool_search: boolean;
  /** `configuration_update` items, and no `prompt_cache_retention`: GPT-6. */
  sixth: boolean;
  /** Reasoning of earlier turns is shown to the model unless told otherwise. */
  all_turns: boolean;
  /** Chat completions with function tools need effort `none`. */
  tools_need_responses: boolean;
}

const noneToXhigh = ["none", "low", "medium", "high", "xhigh"];
const lowToMax = ["low", "medium", "high", "xhigh", "max"];

const legacy: GptFacts = {
  context: 400_000,
  output: 128_000,
  efforts: ["minimal", "low", "medium", "high"],
  effort: "medium",
  additional_tools: false,
  tool_search: false,
  sixth: false,
  all_turns: false,
  tools_need_responses: false,
};
const fourth = {
  ...legacy,
  efforts: noneToXhigh,
  effort: "none",
  tool_search: true,
  tools_need_responses: true,
} satisfies GptFacts;
const fifth = {
  ...fourth,
  context: 1_050_000,
  efforts: ["none", ...lowToMax],
  effort: "medium",
  additional_tools: true,
  all_turns: true,
} satisfies GptFacts;
const sixth = { ...fifth, sixth: true } satisfies GptFacts;

const models: Readonly<Record<string, GptFacts>> = {
  "gpt-6-astra": { ...sixth, efforts: lowToMax },
  "gpt-6.1-sol": { ...sixth, efforts: lowToMax },
  "gpt-6.1-terra": sixth,
  "gpt-6-luna": sixth,
  "gpt-5.6-sol": fifth,
  "gpt-5.6-terra": fifth,
  "gpt-5.6-luna": fifth,
  "gpt-5.5": { ...fourth, effort: "medium" },
  "gpt-5.4": fourth,
  "gpt-5.4-mini": fourth,
  "gpt-5": legacy,
  "gpt-5-mini": legacy,
};

/** Undefined for a model OpenAI does not have. */
export function gptFacts(model: string): GptFacts | undefined {
  return Object.hasOwn(models, model) ? models[model] : undefined;
}

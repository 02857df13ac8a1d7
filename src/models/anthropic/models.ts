import { efforts as allEfforts, type Effort } from "../../core/values/message.ts";
import type { ModelFacts } from "../catalogue/model-facts.ts";

/** The words of `output_config.effort`. */
export type WireEffort = Extract<Effort, "low" | "medium" | "high" | "xhigh" | "max">;

/**
 * How changes during a conversation reach a model. `inline`: as system messages that also add and remove tools. `noted`: as text at
 * the end of a message of a person or a tool, while the list of tools grows.
 */
export type WireForm = "inline" | "noted";

/** The features that a model and its server support. A feature that the server refuses is turned off. */
export interface Abilities {
  /** System messages during a conversation, with tools to add and remove. */
  inline: boolean;
  /** System messages that change the effort. */
  effortChange: boolean;
  /** The efforts that it knows, lowest first. If there are none, the parameter is left out. */
  efforts: readonly WireEffort[];
  /** How thinking is shown to people: as short notes on the work, or as a summary. Undefined: it is not requested. */
  display: "updates" | "summarized" | undefined;
  /** Answers in a JSON schema through `output_config.format`. */
  schema: boolean;
  /** `tool_choice` that forces a tool. */
  forcedTool: boolean;
  /** Cache entries that last an hour. */
  hourCache: boolean;
  /** `max_tokens` unless the operator sets one. It includes thinking. */
  maxOutputTokens: number;
}

/** A version by family, `major.minor` as a number; minor versions stop at 9. */
type Versions = Readonly<Record<string, number>>;

/**
 * The first version of each family that can do it, from platform.claude.com (mid-conversation system messages, effort,
 * structured outputs) and the typings of `@anthropic-ai/sdk` 1.12, November 2026.
 */
const firstWith = {
  inline: { fable: 5, mythos: 5, opus: 4.8, sonnet: 5.5, haiku: 5.5 },
  effortChange: { fable: 5.1, mythos: 5.1, opus: 5, sonnet: 5.5, haiku: 5.5 },
  effort: { fable: 5, mythos: 5, opus: 4.5, sonnet: 4.6, haiku: 5.5 },
  maxEffort: { fable: 5, mythos: 5, opus: 4.6, sonnet: 4.6, haiku: 5.5 },
  xhighEffort: { fable: 5, mythos: 5, opus: 4.7, sonnet: 5, haiku: 5.5 },
  schema: { fable: 5, mythos: 5, opus: 4.1, sonnet: 4.5, haiku: 4.5 },
  // Models that think without being asked to, and do not show it by default.
  thinking: { fable: 5, mythos: 5, opus: 5, sonnet: 5.5, haiku: 5.5 },
  notes: { fable: 5.1, mythos: 5.1, opus: 5.5, sonnet: 5.5, haiku: 5.5 },
} satisfies Record<string, Versions>;

/** The first version of each family that refuses a forced tool. */
const refusesForcedTool: Versions = { fable: 5.1, mythos: 5.1, opus: 5.5, sonnet: 5.5, haiku: Infinity };

/** A family that is missing in the tables is newer than they are. */
const newFamily = 5.5;

/** Every Claude since 4 can write this many tokens: enough for thinking and a long answer. */
const roomyOutput = 32_000;

const newest: Abilities = {
  inline: true,
  effortChange: true,
  efforts: ["low", "medium", "high", "xhigh", "max"],
  display: "updates",
  schema: true,
  forcedTool: false,
  hourCache: true,
  maxOutputTokens: roomyOutput,
};

/** A model of another vendor behind this protocol: only features that every server knows. */
const foreign: Abilities = {
  inline: false,
  effortChange: false,
  efforts: [],
  display: undefined,
  schema: false,
  forcedTool: true,
  hourCache: false,
  maxOutputTokens: 16_000,
};

/**
 * The features of a model, by its name in any spelling (`claude-opus-5-5`, `anthropic/claude-sonnet-4.5`, with a date).
 * @param own whether the server is Anthropic's. An unknown name is a new model there, and another vendor's model elsewhere.
 * @param inPlace what system messages can change during a conversation, from the catalogue; by the version if undefined
 */
export function abilitiesOf(model: string, own: boolean, inPlace?: ModelFacts["in_place"]): Abilities {
  // Before version 4 names have the version first: claude-3-5-haiku. All of them can write 4,096 tokens.
  if (/claude-(?:\d|instant|v\d)/.test(model)) return { ...foreign, hourCache: own, maxOutputTokens: 4096 };
  const named = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d))?(?!\d)/.exec(model);
  if (named === null) return own ? newest : foreign;
  const [, family = "", major, minor = "0"] = named;
  const version = Number(`${major}.${minor}`);
  const has = (first: Versions) => version >= (first[family] ?? newFamily);
  const efforts: readonly [WireEffort, boolean][] = [
    ["low", has(firstWith.effort)],
    ["medium", has(firstWith.effort)],
    ["high", has(firstWith.effort)],
    ["xhigh", has(firstWith.xhighEffort)],
    ["max", has(firstWith.maxEffort)],
  ];
  return {
    inline: inPlace?.includes("tools") ?? has(firstWith.inline),
    effortChange: inPlace?.includes("effort") ?? has(firstWith.effortChange),
    efforts: efforts.filter(([, known]) => known).map(([word]) => word),
    display: has(firstWith.notes) ? "updates" : has(firstWith.thinking) ? "summarized" : undefined,
    schema: has(firstWith.schema),
    forcedTool: !has(refusesForcedTool),
    hourCache: true,
    maxOutputTokens: roomyOutput,
  };
}

export function formOf({ inline }: Abilities): WireForm {
  return inline ? "inline" : "noted";
}

/** The highest effort that the model knows up to the wanted one, or its lowest. Undefined if none is wanted or known. */
export function wireEffort(wish: Effort | undefined, { efforts }: Abilities): WireEffort | undefined {
  if (wish === undefined) return undefined;
  const wanted = allEfforts.indexOf(wish);
  return efforts.findLast((word) => allEfforts.indexOf(word) <= wanted) ?? efforts[0];
}

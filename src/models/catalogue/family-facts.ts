import type { Effort } from "../../core/values/message.ts";
import { openAiFamily } from "../openai/family.ts";

/** See `ModelFacts`. */
interface FamilyFacts {
  window?: number;
  output?: number;
  efforts?: readonly Effort[];
}

const minutes = 60_000;

const million: FamilyFacts = { window: 1_000_000, output: 128_000 };

/**
 * The first whose pattern fits the name without prefixes. Models that people run themselves are not here: their window is
 * what the server was started with.
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
 * What holds for every model of a family, for names that are in no catalogue.
 * @param name in lower case, without prefixes
 */
export function familyFacts(name: string): FamilyFacts {
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
 * How long a prompt surely stays in the cache, ms.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching,
 * https://developers.openai.com/api/docs/guides/prompt-caching
 * @param name in lower case, without prefixes
 */
export function cacheMs(name: string): number | undefined {
  if ((openAiFamily(name)?.version ?? 0) >= 506) return 30 * minutes;
  return /^(?:claude-|gpt-[345]|o[134](?:-|$))/.test(name) ? 5 * minutes : undefined;
}

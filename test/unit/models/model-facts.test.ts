import { expect, it } from "vitest";
import { modelFacts } from "../../../src/models/model-facts.ts";

it.each([
  ["claude-sonnet-5-5", 1_000_000, 128_000, 5],
  ["anthropic/claude-fable-5-2", 1_000_000, 128_000, 5],
  ["claude-sonnet-4-5-20250929", 200_000, 64_000, 5],
  ["claude-opus-4-8", 1_000_000, 128_000, 5],
  ["gpt-6-astra", 1_050_000, 128_000, 30],
  ["openai/gpt-6.1-terra:nitro", 1_050_000, 128_000, 30],
  ["gpt-5.6-luna", 400_000, 128_000, 30],
  ["gpt-5-mini", 400_000, 128_000, 5],
  ["gpt-5-chat-latest", 128_000, 16_384, 5],
  ["gpt-4o-mini", 128_000, 16_384, 5],
  ["gemini-3.8-flash", 1_048_576, 65_536, undefined],
  ["llama3.3:70b", undefined, undefined, undefined],
  ["openai/gpt-oss-120b", undefined, undefined, undefined],
])("of %s: a window of %s, %s tokens of output, %s minutes in the cache", (name, window, output, minutes) => {
  const facts = modelFacts(name);
  expect(facts.window).toBe(window);
  expect(facts.output).toBe(output);
  expect(facts.cache_ms).toBe(minutes === undefined ? undefined : minutes * 60_000);
});

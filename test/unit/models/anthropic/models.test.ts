import { describe, expect, it } from "vitest";
import type { Effort } from "../../../../src/core/values/message.ts";
import { abilitiesOf, wireEffort } from "../../../../src/models/anthropic/models.ts";

/** inline, effort in the middle, schema, forced tool; the words for effort. */
const known: [name: string, can: string, efforts: string][] = [
  ["claude-fable-5", "inline schema forced", "low medium high xhigh max"],
  ["claude-fable-5-2", "inline effort schema", "low medium high xhigh max"],
  ["claude-opus-5-5", "inline effort schema", "low medium high xhigh max"],
  ["claude-opus-5", "inline effort schema forced", "low medium high xhigh max"],
  ["claude-opus-4-8", "inline schema forced", "low medium high xhigh max"],
  ["claude-opus-4-6", "schema forced", "low medium high max"],
  ["claude-opus-4-5-20251101", "schema forced", "low medium high"],
  ["claude-opus-4-20250514", "forced", ""],
  ["claude-sonnet-5-5", "inline effort schema", "low medium high xhigh max"],
  ["anthropic/claude-sonnet-5.5", "inline effort schema", "low medium high xhigh max"],
  ["claude-sonnet-5", "schema forced", "low medium high xhigh max"],
  ["claude-sonnet-4-6", "schema forced", "low medium high max"],
  ["claude-sonnet-4-5-20250929", "schema forced", ""],
  ["claude-haiku-5-5", "inline effort schema forced", "low medium high xhigh max"],
  ["claude-haiku-4-5", "schema forced", ""],
  ["claude-sonnet-6", "inline effort schema", "low medium high xhigh max"],
  ["claude-newcomer-6-1", "inline effort schema", "low medium high xhigh max"],
  ["claude-3-5-haiku-20241022", "forced", ""],
  ["llama-4", "forced", ""],
];

describe("what a model takes", () => {
  it.each(known)("a model's abilities are known by its name: %s", (name, can, words) => {
    const { inline, effortChange, schema, forcedTool, efforts } = abilitiesOf(name, false);
    const told = [inline && "inline", effortChange && "effort", schema && "schema", forcedTool && "forced"];
    expect(told.filter(Boolean).join(" ")).toBe(can);
    expect(efforts.join(" ")).toBe(words);
  });

  it("a model with an unknown name has all abilities at Anthropic, and few elsewhere", () => {
    expect(abilitiesOf("claude-next", true)).toMatchObject({ inline: true, maxOutputTokens: 32_000 });
    expect(abilitiesOf("claude-next", false)).toMatchObject({ inline: false, maxOutputTokens: 16_000 });
    expect(abilitiesOf("claude-3-haiku-20240307", true).maxOutputTokens).toBe(4096);
  });

  it.each<[Effort | undefined, string, string | undefined]>([
    [undefined, "claude-sonnet-5-5", undefined],
    ["none", "claude-sonnet-5-5", "low"],
    ["minimal", "claude-sonnet-5-5", "low"],
    ["xhigh", "claude-sonnet-5-5", "xhigh"],
    ["xhigh", "claude-opus-4-6", "high"],
    ["max", "claude-opus-4-5", "high"],
    ["high", "claude-haiku-4-5", undefined],
  ])("the nearest effort is chosen: %s for %s is %s", (wish, name, word) => {
    expect(wireEffort(wish, abilitiesOf(name, true))).toBe(word);
  });
});

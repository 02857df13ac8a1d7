import { describe, expect, it } from "vitest";
import { ada } from "../../support/test-app.ts";
import type { Feature } from "../../support/vendors/exchange.ts";
import type { Script } from "../../support/vendors/view.ts";
import {
  type Conversation,
  startConversation,
  talkingModels,
  toolSkill,
} from "../support/vendor-conversation.ts";

/** What the stand-in refused, in its words. */
function refusals({ vendors }: Conversation): string[] {
  return vendors.requests().flatMap(({ refused }) => refused.map(({ message }) => message));
}

function lost({ vendors }: Conversation): number {
  return vendors.requests().reduce((sum, one) => sum + one.reasoning_lost, 0);
}

async function talk(conversation: Conversation, texts: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const text of texts) {
    const { end } = await conversation.ask(text);
    expect(end).toMatchObject({ outcome: "completed" });
    answers.push(end.text);
  }
  return answers;
}

const words = ["[use weather]", "hello", "[use stocks]", "[use weather] again", "thanks"];

describe.each([
  ["anthropic/claude-sonnet-5-5", "inline_tools"],
  ["anthropic/claude-sonnet-5-5", "system_in_place"],
  ["anthropic/claude-sonnet-5-5", "defer_loading"],
  ["anthropic/claude-sonnet-5-5", "cache_1h"],
  ["anthropic/claude-haiku-5-5", "tool_choice"],
  ["openai/gpt-6.1-terra", "additional_tools"],
  ["openai/gpt-6.1-terra", "reasoning_context"],
  ["openai/gpt-6.1-terra", "prompt_cache_key"],
  ["openai/gpt-6.1-terra", "encrypted_reasoning"],
  ["openai/gpt-5.4-mini", "tool_search"],
  ["deepseek/deepseek-v4-pro", "stream_usage"],
] as const)("a server of %s that refuses %s", (choice, feature: Feature) => {
  it("a refused feature is replaced by another way, which is remembered, and the turn continues", async () => {
    const conversation = await startConversation(choice);
    conversation.vendors.refuse("*", feature);
    expect((await talk(conversation, words))[3]).toContain("weather says 42");
    // Once for the feature; where tools then have to change, also for the thinking that was bound to the old ones.
    expect(
      refusals(conversation).filter((message) => !/`thinking`/.test(message)).length,
    ).toBeLessThanOrEqual(3);
    const before = refusals(conversation).length;
    await talk(conversation, ["[use stocks] once more", "good bye"]);
    expect(refusals(conversation)).toHaveLength(before);
  });

  it("a feature refused in the middle of a conversation changes nothing for people", async () => {
    const conversation = await startConversation(choice);
    await talk(conversation, ["[use weather]", "hello"]);
    conversation.vendors.refuse("*", feature);
    const [, answer] = await talk(conversation, ["what else?", "[use stocks]", "thanks"]);
    expect(answer).toContain("stocks says 42");
  });
});

describe.each(talkingModels)("a conversation with $choice", ({ choice }) => {
  it.each(talkingModels.filter((other) => other.choice !== choice).map((other) => other.choice))(
    "a conversation continues with %s, and back",
    async (other) => {
      const before = await startConversation(choice);
      await talk(before, ["[use weather]"]);
      const between = await before.restart({ choice: other });
      await talk(between, ["[use stocks]", "hm"]);
      const after = await between.restart({ choice });
      await talk(after, ["[use weather] again", "thanks"]);
      expect(refusals(after)).toEqual([]);
    },
  );

  it("a conversation continues with a key of another account", async () => {
    const before = await startConversation(choice);
    await talk(before, ["[use weather]"]);
    const after = await before.restart({ key: "key-of-another" });
    await talk(after, ["[use stocks]", "thanks"]);
    expect(refusals(after).length).toBeLessThanOrEqual(1);
  });

  it("a conversation continues with another effort", async () => {
    const before = await startConversation(choice, { limits: { open_tools_tokens: 3_000 } });
    await talk(before, ["[use weather]"]);
    const after = await before.restart({ effort: "low" });
    await talk(after, ["[use stocks]", "thanks"]);
    expect(refusals(after)).toEqual([]);
    expect(lost(after)).toBe(0);
  });

  it("a conversation takes thirty calls at once of a skill that is not active", async () => {
    const many: Script = ({ said, results }) =>
      said.includes("go") && results.length === 0
        ? {
            calls: Array.from({ length: 30 }, (_, at) => ({
              name: "weather",
              input: { at },
              invented: true,
            })),
          }
        : { text: `${results.length} results` };
    const conversation = await startConversation(choice, {
      script: many,
      more: [toolSkill("trains")],
      limits: { max_tool_calls: 100 },
    });
    const { end } = await conversation.ask("go");
    expect(end.text).toBe("30 results");
    await talk(conversation, ["and now?"]);
    expect(refusals(conversation)).toEqual([]);
  });

  it("a model whose window is smaller than the transcript gets a cut copy", async () => {
    const name = choice.slice(choice.indexOf("/") + 1);
    const conversation = await startConversation(choice, { vendors: { context: { [name]: 3_000 } } });
    for (let turn = 0; turn < 6; turn += 1) {
      const { end } = await conversation.ask(`${turn}: ${"and tell me more about it ".repeat(100)}`, {
        by: ada,
      });
      expect(end.outcome).toBe("completed");
    }
    expect(refusals(conversation).filter((message) => !/long|maximum|context/i.test(message))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import {
  estimateOf,
  extendTranscript,
  isLonger,
  type Opening,
  openTranscript,
  type TranscriptStep,
  tokensIn,
  tokensOf,
  withoutReasoning,
} from "../../../../src/core/log/transcript.ts";
import type { TranscriptOpening } from "../../../../src/core/log/turn-event.ts";
import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolDefinition,
} from "../../../../src/core/values/message.ts";

/** A tenth of the characters: cheap to reckon with, and never more than the characters. */
const count = (text: string) => text.length / 10;

const tool = (name: string, description = "Looks."): ToolDefinition => ({
  name,
  description,
  parameters: {},
});
const opening: Opening = {
  instructions: "i".repeat(100),
  tools: [tool("look")],
  told: {
    agent: "a",
    place: "p",
    skills: {},
    unlisted: [],
    open: [],
    active: { memory: "m1" },
    facts: [],
    agents: {},
  },
};
const user = (text: string): Message => ({ role: "user", text });
const answer = (text: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  text,
  tool_calls: [],
  ...more,
});
const change = (more: Partial<SystemMessage> = {}): SystemMessage => ({ role: "system", text: "", ...more });

function opened(
  more: Partial<TranscriptOpening> = {},
  ...steps: Exclude<TranscriptStep, { kind: "open" }>[]
) {
  const how = {
    opening: "o1",
    because: "first",
    deletions: 0,
    messages: [],
    own: 0,
    active: [],
    offloaded: [],
    seen: {},
  } as const;
  const transcript = openTranscript(opening, { ...how, ...more }, count);
  for (const step of steps) extendTranscript(transcript, step);
  return transcript;
}
const said = (text: string): TranscriptStep & { kind: "message" } => ({
  kind: "message",
  message: user(text),
});

describe("a transcript", () => {
  it("a transcript opens with what its opening and the previous one leave", () => {
    const messages = [user("hi")];
    const { active, offloaded, tools, told, ...rest } = opened({ messages, active: ["s"], offloaded: ["t"] });
    expect([[...active], [...offloaded], [...tools.keys()], told]).toEqual([
      ["s"],
      ["t"],
      ["look"],
      opening.told,
    ]);
    expect(rest).toMatchObject({ id: "o1", messages, uncounted: [] });
    expect(rest.messages).not.toBe(messages);
    expect([...rest.read.guides]).toEqual(["memory", "s"]);
    const tokens = 10 + JSON.stringify(opening.tools).length / 10 + 4 + 0.2;
    expect([rest.tokens, rest.tokens_at_opening]).toEqual([tokens, tokens]);
    expect(rest.called_at).toBeUndefined();
  });

  it("a transcript grows by messages, and knows which of them are a stranger's", () => {
    const result = { role: "tool", call_id: "c", tool: "look", text: "x", is_error: false } as const;
    const transcript = opened({}, said("hi"), { kind: "message", message: result });
    expect(transcript.messages).toEqual([user("hi"), result]);
    expect([...transcript.read.untrusted]).toEqual(["result"]);
  });

  it("a transcript applies a change: added, removed and replaced tools, guides, and the rest unchanged", () => {
    const message = change({ remove: ["look"], add: [tool("find"), tool("keep", "Keeps.")] });
    const transcript = opened(
      {},
      { kind: "change", message: change({ add: [tool("keep")] }), told: { place: "q" } },
      { kind: "change", message, told: { active: { weather: "w1" } } },
    );
    expect([...transcript.tools.values()]).toEqual([tool("keep", "Keeps."), tool("find")]);
    expect(transcript.told).toEqual({ ...opening.told, place: "q", active: { weather: "w1" } });
    expect([...transcript.read.guides]).toEqual(["memory", "weather"]);
    expect(transcript.messages.at(-1)).toBe(message);
    const replaced = opened(
      {},
      { kind: "change", message: change({ remove: ["look"], add: [tool("look", "New.")] }), told: {} },
    );
    expect([...replaced.tools.values()]).toEqual([tool("look", "New.")]);
    expect([...replaced.read.guides]).toEqual(["memory"]);
  });

  it("a transcript knows which skills are active, put away, and by which guide", () => {
    const transcript = opened(
      { offloaded: ["weather"] },
      { kind: "activate", skill_id: "weather", guide: "w1" },
      { kind: "activate", skill_id: "plain", guide: undefined },
    );
    expect([[...transcript.active], [...transcript.offloaded]]).toEqual([["weather", "plain"], []]);
    expect(transcript.told.active).toEqual({ memory: "m1", weather: "w1" });
    expect([...transcript.read.guides]).toEqual(["memory", "weather", "plain"]);
    extendTranscript(transcript, { kind: "offload", skill_id: "weather" });
    expect([[...transcript.active], [...transcript.offloaded]]).toEqual([["plain"], ["weather"]]);
    expect(transcript.told.active).toEqual({ memory: "m1" });
    expect(opening.told.active).toEqual({ memory: "m1" });
  });

  it.each([
    ["more than was estimated", 500, 500],
    ["as much", 21.4, 21.4],
    ["less", 3, 21.4 + 4 + 0.2],
  ])("a transcript believes a provider that counts %s", (_what, tokens, expected) => {
    const fixed = opened();
    fixed.tokens = 21.4;
    extendTranscript(fixed, said("hi"));
    extendTranscript(fixed, { kind: "measured", tokens, at: 7 });
    extendTranscript(fixed, { kind: "seen", seen: {} });
    expect(tokensIn(fixed, count)).toBeCloseTo(expected);
    expect(fixed.called_at).toBe(7);
  });

  it("a transcript counts each message once, and estimates all of it again when asked", () => {
    const transcript = opened({ messages: [user("hi")] }, said("x".repeat(60)));
    const tokens = transcript.tokens_at_opening + 10;
    expect(tokensIn(transcript, count)).toBeCloseTo(tokens);
    expect(tokensIn(transcript, count)).toBeCloseTo(tokens);
    transcript.tokens = 9_000;
    expect(estimateOf(transcript, count)).toBeCloseTo(tokens);
  });

  it("a transcript is compared with a number of tokens without counting while it is short", () => {
    const transcript = opened({}, said("x".repeat(60)));
    const tokens = transcript.tokens_at_opening + 10;
    const texts: string[] = [];
    const counting = (text: string) => {
      texts.push(text);
      return count(text);
    };
    const characters = transcript.tokens_at_opening + 64;
    expect(isLonger(transcript, characters, counting)).toBe(false);
    expect(texts).toEqual([]);
    expect(isLonger(transcript, characters - 1, counting)).toBe(false);
    expect(texts).toHaveLength(1);
    expect(isLonger(transcript, tokens, counting)).toBe(false);
    expect(isLonger(transcript, tokens - 0.1, counting)).toBe(true);
  });
});

const blocks = (json: string) => ({ provider: "p", model: "m", blocks: json });
const picture = (bytes: number) => ({ media_type: "image/png", turn_id: "t", name: "n", bytes }) as const;

it.each<[string, Message, number]>([
  ["a text", user("x".repeat(60)), 10],
  ["nothing", user(""), 4],
  ["a change", change({ text: "x".repeat(10) }), 5],
  ["a change that adds no tool", change({ remove: ["look"] }), 4],
  [
    "a change that adds a tool",
    change({ add: [tool("look")] }),
    4 + JSON.stringify([tool("look")]).length / 10,
  ],
  [
    "calls: their names and arguments, and eight for each",
    answer("", {
      tool_calls: [1, 2].map((id) => ({ id: `${id}`, name: "n".repeat(10), arguments: "a".repeat(10) })),
    }),
    4 + 2 * 10,
  ],
  ["an answer, rounded up", answer("x".repeat(61)), 11],
  [
    "reasoning: four characters a token, and the text is in it",
    answer("", { provider_blocks: blocks("x".repeat(398)) }),
    100,
  ],
  ["reasoning that is less than its text", answer("x".repeat(60), { provider_blocks: blocks("xx") }), 10],
  [
    "pictures: 1,600 at least, more for many bytes",
    { ...user(""), kept_images: [picture(1), picture(480_001)] } as Message,
    4 + 1_600 + 1_601,
  ],
  [
    "a picture of a result",
    { role: "tool", call_id: "c", tool: "t", text: "", is_error: false, kept_images: [picture(600_000)] },
    2_004,
  ],
])("the tokens are counted of a message with %s", (_what, message, tokens) => {
  expect(tokensOf(message, count)).toBeCloseTo(tokens);
});

it("only its reasoning is lost when a message is carried into another transcript", () => {
  const bare = answer("hi", { tool_calls: [{ id: "c", name: "n", arguments: "{}" }] });
  expect(withoutReasoning({ ...bare, provider_blocks: blocks("x") })).toEqual(bare);
  expect(withoutReasoning(bare)).toBe(bare);
  expect(withoutReasoning(user("hi"))).toEqual(user("hi"));
});

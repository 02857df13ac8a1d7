import { describe, expect, it } from "vitest";
import type { TranscriptStep } from "../../../../src/core/log/transcript.ts";
import { StepReader } from "../../../../src/core/log/transcript-steps.ts";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { AssistantMessage } from "../../../../src/core/values/message.ts";

const asks = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  text: "",
  tool_calls: ids.map((id) => ({ id, name: `tool_${id}`, arguments: "{}" })),
});
const model = (message: AssistantMessage): TurnEventBody => ({
  type: "model_message",
  round: 1,
  message,
  model: "m",
});
const answers = (text: string): AssistantMessage => ({ role: "assistant", text, tool_calls: [] });
const done = (call_id: string, more: object = {}): TurnEventBody => ({
  type: "tool_finished",
  call_id,
  tool: `tool_${call_id}`,
  status: "ok",
  output: `output ${call_id}`,
  duration_ms: 1,
  ...more,
});
const end = (text: string): TurnEventBody => ({ type: "turn_finished", outcome: "completed", text });
const activated = (skill_id: string, call_id?: string): TurnEventBody => ({
  type: "skill_activated",
  skill_id,
  by: call_id === undefined ? "ada" : "agent",
  ...(call_id === undefined ? {} : { call_id, guide: `print of ${skill_id}` }),
});
const picture = (name: string, more: object = {}): TurnEventBody => ({
  type: "file",
  call_id: "a",
  name,
  media_type: "image/png",
  bytes: 10,
  url: "",
  ...more,
});

const readAll = (...events: TurnEventBody[]) => {
  const reader = new StepReader("t1");
  return events.flatMap((event) => reader.read(event, 5));
};

/** A step in a few words. */
function brief(step: TranscriptStep): string {
  if (step.kind === "message") {
    const { message } = step;
    return message.role === "tool"
      ? `tool ${message.call_id}: ${message.text}`
      : `${message.role}: ${message.text}`;
  }
  return "skill_id" in step ? `${step.kind} ${step.skill_id}` : step.kind;
}

const ended = "The turn ended before this ran.";

describe("the steps that the events of a turn are", () => {
  it.each<[string, TurnEventBody[], string[]]>([
    [
      "nothing for what only people see",
      [
        { type: "text_delta", text: "x" },
        { type: "round_started", round: 1 },
      ],
      [],
    ],
    [
      "results in the order of the calls",
      [model(asks("a", "b")), done("b"), done("a")],
      ["assistant: ", "tool a: output a", "tool b: output b"],
    ],
    ["no result before all are there", [model(asks("a", "b")), done("b")], ["assistant: "]],
    [
      "no result of a call within a call",
      [model(asks("a")), done("a/1"), done("a")],
      ["assistant: ", "tool a: output a"],
    ],
    [
      "what was shown instead of the output",
      [model(asks("a")), done("a", { shown: "cut" })],
      ["assistant: ", "tool a: cut"],
    ],
    [
      "an activation behind the results",
      [model(asks("a", "b")), activated("s", "b"), done("b"), done("a")],
      ["assistant: ", "tool a: output a", "tool b: output b", "activate s"],
    ],
    [
      "no activation of what the same answer put away",
      [
        model(asks("a", "b")),
        activated("s", "a"),
        { type: "skill_offloaded", skill_id: "s", by: "agent" },
        done("a"),
        done("b"),
      ],
      ["assistant: ", "offload s", "tool a: output a", "tool b: output b"],
    ],
    ["no activation for a person's own request", [activated("s"), model(answers("hi"))], ["assistant: hi"]],
    [
      "a result for every call when the turn ends",
      [model(asks("a", "b")), done("b"), end("Stopped.")],
      ["assistant: ", `tool a: ${ended}`, "tool b: output b", "assistant: Stopped."],
    ],
    ["the answer once", [model(answers("hi")), end("hi")], ["assistant: hi"]],
    ["no answer that is empty", [end("")], []],
    [
      "the words of a limit not again",
      [model(answers("hi")), end("hi\n\nThis turn ends here")],
      ["assistant: hi"],
    ],
    [
      "a message taken in between rounds",
      [
        model(asks("a")),
        done("a"),
        { type: "steered", text: "and", by: "ada", from_turn: "t2", shown: "Ada: and" },
      ],
      ["assistant: ", "tool a: output a", "user: Ada: and"],
    ],
    [
      "no message that answers a question of a call",
      [model(asks("a")), { type: "steered", text: "yes", by: "ada", from_turn: "t2" }, done("a")],
      ["assistant: ", "tool a: output a"],
    ],
    [
      "the count of a request behind its answer",
      [{ type: "usage", model: "m", round: 1, input_tokens: 3, output_tokens: 2 }, model(answers("hi"))],
      ["assistant: hi", "measured"],
    ],
    [
      "no count of a call that a skill made",
      [{ type: "usage", model: "m", input_tokens: 3, output_tokens: 2 }, model(answers("hi"))],
      ["assistant: hi"],
    ],
  ])("the steps are read from a turn's events: %s [transcript-5]", (_what, events, steps) => {
    expect(readAll(...events).map(brief)).toEqual(steps);
  });

  it("the steps of a turn's events have what the provider counted, and when", () => {
    const usage: TurnEventBody = { type: "usage", model: "m", round: 1, input_tokens: 3, output_tokens: 2 };
    expect(readAll(usage, model(answers("hi"))).at(-1)).toEqual({ kind: "measured", tokens: 5, at: 5 });
  });

  it("the steps keep up to four different pictures of a call that a model can be shown", () => {
    const files = ["1", "2", "1", "3", "4", "5"].map((name) => picture(name));
    const others = [
      picture("large", { bytes: 4_500_001 }),
      picture("drawing", { media_type: "image/svg+xml" }),
      picture("of nobody", { call_id: undefined }),
    ];
    const [, result] = readAll(model(asks("a")), ...others, ...files, done("a"));
    expect(result).toMatchObject({
      message: {
        kept_images: ["2", "1", "3", "4"].map((name) => ({
          turn_id: "t1",
          name,
          media_type: "image/png",
          bytes: 10,
        })),
      },
    });
  });
});

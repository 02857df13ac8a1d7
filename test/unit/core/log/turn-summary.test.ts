import { expect, it } from "vitest";
import {
  emptyTurnView,
  foldTurn,
  formatDuration,
  summariseSteps,
  type TurnView,
} from "../../../../src/core/log/turn-view.ts";

function viewWith(calls: readonly { id: string; parent?: string }[]): TurnView {
  const started = calls.reduce<TurnView>(
    (view, { id, parent }, seq) =>
      foldTurn(view, {
        type: "tool_started",
        call_id: id,
        parent_call_id: parent,
        tool: "t",
        title: "T",
        skill_id: "s",
        input: {},
        turn_id: "turn",
        seq,
        at: 1_000,
      }),
    { ...emptyTurnView("turn"), started_at: 1_000 },
  );
  return { ...started, finished_at: 13_000 };
}

it.each([
  [[], ""],
  [[{ id: "a" }], "1 step, 12 s"],
  [[{ id: "a" }, { id: "b" }], "2 steps, 12 s"],
  [[{ id: "a" }, { id: "a/1", parent: "a" }], "1 step, 12 s"],
  [
    [
      { id: "run/1", parent: "run" },
      { id: "run/1/1", parent: "run/1" },
    ],
    "1 step, 12 s",
  ],
])("the calls %j are summed up as %s", (calls, words) => {
  expect(summariseSteps(viewWith(calls))).toBe(words);
});

it.each([
  [-5, ""],
  [99, ""],
  [100, "0.1 s"],
  [400, "0.4 s"],
  [12_400, "12 s"],
  [185_000, "3 min 5 s"],
])("a duration of %d ms reads %s", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

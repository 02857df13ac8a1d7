import { expect, test } from "vitest";
import { addLive, addRead, emptyTimeline, turnsOf } from "../../../src/console/state/timeline.ts";
import type { TurnEvent, TurnEventBody } from "../../../src/core/log/turn-event.ts";

function event(turnId: string, seq: number, body: TurnEventBody, at = 1_000 + seq): TurnEvent {
  return { ...body, turn_id: turnId, seq, at };
}

function said(turnId: string, text: string, at: number): TurnEvent {
  const author = { id: "operator", name: "operator", trust: "operator" as const };
  const place = { namespace: "console:local:general", thread: "t-1" };
  return event(
    turnId,
    0,
    { type: "inbound", inbound: { key: turnId, ...place, author, kind: "message", text } },
    at,
  );
}

const started = event("a", 1, { type: "turn_started", profile: "default", model: "m" });
const hello = event("a", 2, { type: "text_delta", text: "Hello" });
const world = event("a", 3, { type: "text_delta", text: ", world" });

test("an event that comes both with the thread and from the feed is shown once", () => {
  const read = addRead(emptyTimeline, [{ events: [said("a", "hi", 1), started, hello] }]);
  const again = addLive(read, hello).timeline;
  const on = addLive(again, world).timeline;
  expect(turnsOf(on)[0]).toMatchObject({ said: "hi", text: "Hello, world" });
});

test("live events that arrive while the thread is being read are kept", () => {
  const live = addLive(emptyTimeline, world);
  expect(live.complete).toBe(false);
  const read = addRead(live.timeline, [{ events: [said("a", "hi", 1), started, hello] }]);
  expect(turnsOf(read)[0]?.text).toBe("Hello, world");
});

test("turns are in the order they were accepted, whichever became known first", () => {
  const second = addLive(emptyTimeline, said("b", "second", 2)).timeline;
  const both = addRead(second, [{ events: [said("a", "first", 1)] }]);
  expect(turnsOf(both).map((turn) => turn.said)).toEqual(["first", "second"]);
});

test("a message merged into a running turn is not shown separately", () => {
  const timeline = [
    said("a", "first", 1),
    said("b", "and this", 2),
    event("a", 1, { type: "steered", text: "and this", by: "operator", from_turn: "b" }),
    event("b", 1, { type: "turn_finished", outcome: "completed", text: "", merged_into: "a" }),
  ].reduce((all, next) => addLive(all, next).timeline, emptyTimeline);
  expect(turnsOf(timeline)).toMatchObject([{ said: "first", steered: [{ text: "and this" }] }]);
});

test("text streamed before a crash is void when the turn is resumed", () => {
  const before = addRead(emptyTimeline, [{ events: [said("a", "hi", 1), started, hello, world] }]);
  const resumed = event("a", 2, { type: "turn_resumed" }, 9_000);
  const delta = event("a", 3, { type: "text_delta", text: "Anew" }, 9_001);
  const after = addRead(before, [{ events: [said("a", "hi", 1), started, resumed, delta] }]);
  expect(turnsOf(after)[0]?.text).toBe("Anew");
});

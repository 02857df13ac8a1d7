import { expect, test } from "vitest";
import type { OutgoingButton, ProgressCard } from "../../../../src/core/ports/chat-platform.ts";
import { renderMessage } from "../../../../src/platforms/slack/outgoing/render-message.ts";
import { acceptBlocks } from "../../../support/slack/api/block-rules.ts";

let ids = 0;
/** Throws where the strict fake would refuse. */
const accepted = (blocks: unknown[]) => acceptBlocks(blocks, "message", () => `b${++ids}`);

const step = (index: number): ProgressCard["steps"][number] => ({
  id: `call_${index}`,
  title: "t".repeat(400),
  state: "running",
  note: "n".repeat(900),
  duration_ms: 1_234,
});

test("a message carries its tag where the bot finds it again", () => {
  const tag = { turn_id: "t1", purpose: "answer" as const, part: 2 };
  expect(renderMessage({ markdown: "hi", tag }, "rich").metadata).toEqual({
    event_type: "knack_message",
    event_payload: tag,
  });
});

test("the longest text with a dozen buttons, and a plan of many long steps, fit into what Slack takes", () => {
  accepted(renderMessage({ markdown: "x".repeat(11_000), buttons: buttons(12) }, "rich").blocks);
  const steps = Array.from({ length: 80 }, (_, i) => step(i));
  const progress = { title: "Working", markdown: "words", steps, done: false };
  const { blocks } = renderMessage({ markdown: "x".repeat(4_000), progress, buttons: buttons(1) }, "rich");
  accepted(blocks);
  expect(blocks[0]).toMatchObject({ type: "plan" });
  expect(JSON.stringify(blocks)).toContain("call_79");
});

test("a plan in a workspace without plans is put into words", () => {
  const progress = { title: "Working", markdown: "Working on it", steps: [step(1)], done: false };
  const { blocks } = renderMessage({ markdown: "The answer", progress }, "basic");
  expect(blocks).toEqual([{ type: "markdown", text: "Working on it\n\nThe answer" }]);
  expect(renderMessage({ markdown: "", progress }, "rich").text).toBe("Working on it");
});

test("progress that is over is one line above the text", () => {
  const progress = { title: "3 steps, 12 s", markdown: "*3 steps, 12 s*", steps: [], done: true };
  for (const rich of [true, false]) {
    const { blocks } = renderMessage({ markdown: "The answer", progress }, rich ? "rich" : "basic");
    accepted(blocks);
    expect(blocks).toMatchObject([
      { type: "context", elements: [{ text: "3 steps, 12 s" }] },
      { type: "markdown", text: "The answer" },
    ]);
  }
});

test("feedback is Slack's own pair of buttons next to the others, or plain buttons without it", () => {
  const all: OutgoingButton[] = [
    { action: { role: "feedback", turn_id: "t1", good: true }, label: "👍" },
    { action: { role: "feedback", turn_id: "t1", good: false }, label: "👎" },
    { action: { role: "again", turn_id: "t1" }, label: "Try again" },
  ];
  const { blocks } = renderMessage({ markdown: "hi", buttons: all }, "rich");
  accepted(blocks);
  expect(JSON.stringify(blocks[2])).not.toContain("good:t1");
  expect(blocks[1]).toMatchObject({
    type: "context_actions",
    elements: [{ positive_button: { value: "good:t1" }, negative_button: { value: "bad:t1" } }],
  });
  const plain = renderMessage({ markdown: "hi", buttons: all }, "basic").blocks;
  expect(plain).toHaveLength(2);
  expect(JSON.stringify(plain[1])).toContain("good:t1");
});

test("buttons of a menu are behind one control, and a single one is shown directly", () => {
  const behind: OutgoingButton[] = [
    { action: { role: "again", turn_id: "t1" }, label: "Try again", menu: true },
    { action: { role: "forget", turn_id: "t1" }, label: "Delete", menu: true },
  ];
  const { blocks } = renderMessage({ markdown: "hi", buttons: [...buttons(1), ...behind] }, "rich");
  accepted(blocks);
  expect(blocks[1]).toMatchObject({
    type: "actions",
    elements: [
      { type: "button" },
      { type: "overflow", options: [{ value: "again:t1" }, { value: "forget:t1" }] },
    ],
  });
  const single = renderMessage({ markdown: "hi", buttons: behind.slice(0, 1) }, "rich").blocks;
  expect(single[1]).toMatchObject({ elements: [{ type: "button", action_id: "again:t1" }] });
});

test("the longest text leaves room for the plan above it", () => {
  const steps = Array.from({ length: 12 }, (_, index) => step(index));
  const progress = { title: "x".repeat(200), markdown: "words", steps, done: false };
  accepted(renderMessage({ markdown: "x".repeat(11_000), progress, buttons: buttons(3) }, "rich").blocks);
});

test("a time is shown in its reader's zone, even without blocks", () => {
  const timed = { text: "Open until {time}.", at: 1_800_000_000_000 };
  const date = "Open until <!date^1800000000^{date_short_pretty} {time}|2027-01-15 08:00 UTC>.";
  const { blocks } = renderMessage({ markdown: "May I?", timed }, "rich");
  accepted(blocks);
  expect(blocks[1]).toEqual({ type: "context", elements: [{ type: "mrkdwn", text: date }] });
  expect(renderMessage({ markdown: "May I?", timed, plain: true }, "rich")).toEqual({
    text: `May I?\n\n${date}`,
    blocks: [],
  });
});

test("a message without text still has something for notifications", () => {
  expect(renderMessage({ markdown: "", buttons: buttons(1) }, "rich").text).not.toBe("");
});

function buttons(count: number): OutgoingButton[] {
  return Array.from({ length: count }, (_, choice) => ({
    action: { role: "answer", turn_id: "t1", choice },
    label: "l".repeat(90),
  }));
}

test("a message calls the person it is for, and nobody by what looks like an id", () => {
  const { text, blocks } = renderMessage({ markdown: "hi <@U0987ZYX>", mention: "U012AB" }, "rich");
  expect(text).toMatch(/^<@U012AB> hi/);
  accepted(blocks);
  expect(blocks[0]).toMatchObject({ text: { type: "mrkdwn", text: "<@U012AB>" } });
  expect(JSON.stringify(blocks)).not.toContain("<@U0987ZYX>");
  expect(renderMessage({ markdown: "hi", mention: "!channel> <@U2" }, "rich").blocks).toHaveLength(1);
});

import { expect, it } from "vitest";
import {
  type ButtonAction,
  readButtonId,
  turnOfButton,
  writeButtonId,
} from "../../../../src/core/ports/chat-platform.ts";

const id = "0198c5a2-7d1e-7c3b-9a60-5a1f0c9e4d27";

/** The written form is in messages that earlier versions posted: these lines only ever get more. */
it.each<[string, ButtonAction, string?]>([
  [`stop:${id}`, { role: "stop", turn_id: id, below: "progress" }, id],
  [`stop-answer:${id}`, { role: "stop", turn_id: id, below: "answer" }, id],
  [`details:${id}`, { role: "details", turn_id: id }, id],
  [`again:${id}`, { role: "again", turn_id: id }, id],
  [`continue:${id}`, { role: "continue", turn_id: id }, id],
  [`forget:${id}`, { role: "forget", turn_id: id }, id],
  [`good:${id}`, { role: "feedback", turn_id: id, good: true }, id],
  [`bad:${id}`, { role: "feedback", turn_id: id, good: false }, id],
  [`answer:${id}:0`, { role: "answer", turn_id: id, choice: 0 }, id],
  [`answer:${id}:19`, { role: "answer", turn_id: id, choice: 19 }, id],
  [`approve:${id}:12`, { role: "decide", approval_id: `${id}:12`, verdict: "once" }, id],
  [`refuse:${id}:1`, { role: "decide", approval_id: `${id}:1`, verdict: "refuse" }, id],
  [`always:${id}:1`, { role: "decide", approval_id: `${id}:1`, verdict: "always" }, id],
  [`never:${id}:1`, { role: "decide", approval_id: `${id}:1`, verdict: "never" }, id],
  [`turn:${id}:1`, { role: "decide", approval_id: `${id}:1`, verdict: "turn" }, id],
  [`wanted:${id}`, { role: "late", token: id, wanted: true }],
  [`unwanted:${id}`, { role: "late", token: id, wanted: false }],
  [`offer-yes:${id}`, { role: "offer", token: id, reply: "yes" }],
  [`offer-no:${id}`, { role: "offer", token: id, reply: "no" }],
  [`offer-never:${id}`, { role: "offer", token: id, reply: "never" }],
  [`offer-again:${id}`, { role: "offer", token: id, reply: "again" }],
])("the button id %s is written and read", (text, action, turnId) => {
  expect(writeButtonId(action)).toBe(text);
  expect(readButtonId(text)).toEqual(action);
  expect(turnOfButton(action)).toBe(turnId);
  expect(text.length).toBeLessThanOrEqual(100);
});

it.each([
  "",
  "stop",
  "stop:",
  "stop:a b",
  `stop:${id}:1`,
  `stop:${id}\n`,
  `details:${"x".repeat(65)}`,
  "details:../../etc",
  "constructor:a-1",
  "__proto__:a-1",
  `answer:${id}`,
  `answer:${id}:x`,
  `answer:${id}:1000`,
  `approve:${id}`,
  `approve:${id}:1234567`,
  `approve:${id}:1:2`,
  `toString:${id}:1`,
  `late:${id}`,
  `offer:${id}`,
  `offer-maybe:${id}`,
  `decide:${id}:1`,
  `feedback:${id}`,
])("%j is not one of our button ids", (text) => {
  expect(readButtonId(text)).toBeUndefined();
});

import { expect, test } from "vitest";
import { turnOutcome } from "../../../src/console/thread/turn-outcome.ts";
import { emptyTurnView, type TurnView } from "../../../src/core/log/turn-view.ts";

const outcome = (more: Partial<TurnView>) =>
  turnOutcome({ ...emptyTurnView("t"), status: "finished", said: "Go on", ...more });
const error = { code: "not_delivered", message: "Slack refused it." };

test.each<[Partial<TurnView>, string, string, string | undefined]>([
  [{ outcome: "failed", error }, "This did not work", "Slack refused it.", "Go on"],
  [{ outcome: "failed", text: "No disk." }, "This did not work", "No disk.", "Go on"],
  [{ outcome: "failed" }, "This did not work", "No reason was given.", "Go on"],
  [{ outcome: "limit_reached" }, "A limit was reached", "What was done is kept.", "continue"],
  [{ outcome: "completed", text: "Fine.", error }, "This was not posted", "Slack refused it.", undefined],
])("the outcome %j is explained with the next step", (view, title, body, next) => {
  expect(outcome(view)).toMatchObject({ title, body: expect.stringContaining(body) });
  expect(outcome(view)?.next?.text).toBe(next);
});

test("a stopped turn says so in its answer, and its card does not repeat it", () => {
  const stopped = outcome({ outcome: "stopped", text: "Stopped." });
  expect(stopped).toMatchObject({ next: { label: "Ask again", text: "Go on" } });
  expect(JSON.stringify(stopped)).not.toContain("Stopped");
});

test("an answer needs no card", () => {
  expect(outcome({ outcome: "completed", text: "Fine." })).toBeUndefined();
});

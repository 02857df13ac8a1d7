import { expect, it } from "vitest";
import { ModelError } from "../../../../../src/core/ports/model.ts";
import { answerTurn } from "../../../../support/bot/ask-app.ts";
import type { FakeClock } from "../../../../support/fakes/fake-clock.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import { ada } from "../../../../support/test-app.ts";
import { elapse, manualClock, presentedApp, seen } from "./presented-app.ts";

const minute = 60_000;
const limits = { away_retry_ms: 15 * minute, away_ask_ms: 24 * 60 * minute };

/** A bot on a chat platform whose model is away for so long, and what people were shown in the meantime. */
function awayBot(ms: number) {
  const clock = manualClock();
  const start = clock.now();
  const model = scriptedModel(() =>
    clock.now() - start < ms
      ? new ModelError("unavailable", "m/x: host did not answer. Try again.")
      : "Here I am.",
  );
  const platform = createFakePlatform({ now: clock.now });
  const bot = presentedApp(model, { platform, clock, limits, max_duration_ms: 30 * minute });
  return { ...bot, model, start };
}

const passTo = (clock: FakeClock, time: number) => elapse(clock, () => clock.now() >= time, 2_000);

it("people are told of a wait once, in one message, and notified of the answer by another in its place", async () => {
  const { ask, reach, platform, clock, start } = awayBot(5 * minute);
  const turnId = await ask("go");
  await passTo(clock, start + 4 * minute);
  expect(seen(platform)).toEqual([
    expect.stringMatching(
      /^answer: \*\*The model does not answer \(it cannot be reached\)\. I'll keep trying until \d\d:\d\d UTC\.\*\*$/,
    ),
  ]);
  expect(platform.visible()[0]?.message.buttons).toEqual([{ id: `stop-answer:${turnId}`, label: "Stop" }]);
  await reach(turnId, "turn_finished");
  expect(seen(platform)).toEqual(["answer: Here I am."]);
  expect(platform.calls.filter(({ call }) => call === "post")).toHaveLength(2);
});

const question =
  /^question: The model was unavailable since \d\d:\d\d UTC and is back now\. Still want this\?/;

it("a model that was away for an hour makes the bot ask once, and answer when somebody still wants it", async () => {
  const { ask, reach, platform, clock, start, app } = awayBot(60 * minute);
  const turnId = await ask("go");
  await passTo(clock, start + 3 * 60 * minute);
  const questions = seen(platform).filter((text) => text.startsWith("question"));
  expect(questions).toEqual([expect.stringMatching(question)]);
  const events = await reach(turnId, "question_asked");
  const asked = events.find((event) => event.type === "question_asked");
  expect(asked?.choices).toEqual(["Yes, answer it", "No"]);
  await answerTurn(app, turnId, asked?.question_id ?? "", "Yes, answer it", ada);
  await reach(turnId, "turn_finished");
  expect(seen(platform).at(-1)).toBe("answer: Here I am.");
});

it("nothing is answered when nobody wants it any more", async () => {
  const { ask, reach, platform, clock, start, app, model } = awayBot(60 * minute);
  const turnId = await ask("go");
  await passTo(clock, start + 70 * minute);
  const asked = (await reach(turnId, "question_asked")).find((event) => event.type === "question_asked");
  const before = model.requests.length;
  await answerTurn(app, turnId, asked?.question_id ?? "", "No", ada);
  const events = await reach(turnId, "turn_finished");
  expect(events.at(-1)).toMatchObject({ outcome: "stopped" });
  expect(seen(platform).at(-1)).toBe("answer: OK, I left it unanswered.");
  expect(model.requests).toHaveLength(before);
});

it("a person who writes again while the bot asks gets an answer to both", async () => {
  const { ask, reach, platform, clock, start, model } = awayBot(60 * minute);
  const turnId = await ask("go");
  await passTo(clock, start + 70 * minute);
  await reach(turnId, "question_asked");
  await ask("are you there?");
  await reach(turnId, "turn_finished");
  expect(seen(platform).at(-1)).toBe("answer: Here I am.");
  expect(model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual(["go", "are you there?"]);
});

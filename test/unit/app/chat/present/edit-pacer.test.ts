import { expect, it } from "vitest";
import { createEditPacer } from "../../../../../src/app/chat/present/live-answer.ts";
import { manualClock, pass } from "./presented-app.ts";

const logger = { debug() {}, info() {}, warn() {}, error() {} };

it("an edit that could not be shown is shown again after the pause, even if nothing new arrives", async () => {
  const clock = manualClock();
  const pauses = [3_000, 0];
  const shown: number[] = [];
  const turn = { clock, logger, givenUp: new AbortController().signal, turn_id: "t" };
  const begun = clock.now();
  const pacer = createEditPacer(turn, 1_000, async () => {
    shown.push(clock.now() - begun);
    return pauses.shift() ?? 0;
  });
  pacer.request();
  await pass(clock, 10_000);
  expect(shown).toHaveLength(2);
  expect(shown[1]).toBeGreaterThanOrEqual(3_000);
  await pacer.stop();
});

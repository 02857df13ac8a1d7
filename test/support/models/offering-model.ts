import type { Clock } from "../../../src/core/ports/storage.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { scriptedModel } from "./scripted-model.ts";

/** A model that wants to help with each message it judges, and answers each question with "Done." */
export const offeringModel = () =>
  scriptedModel(({ output_schema }) =>
    output_schema === undefined ? "Done." : '{"reason": "I can look it up.", "helps": true}',
  );

/** A clock on which a minute of patience passes at once. */
export const impatientClock: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms === 60_000 ? 0 : ms, callback),
};

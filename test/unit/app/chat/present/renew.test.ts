import { describe, expect, it } from "vitest";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { ada } from "../../../../support/test-app.ts";
import { logLeftBehind, manualClock, pass, place, presentedApp, seen, stagedModel } from "./presented-app.ts";

/** A turn whose tool runs until it is let go, on a platform with or without streams. */
function longTurn(streams: boolean, answer: readonly string[] = ["Found."]) {
  const gate = Promise.withResolvers<void>();
  const tool = { name: "look", run: () => gate.promise.then(() => ({})), max_execution_ms: 1e9 };
  const clock = manualClock();
  const platform = createFakePlatform({ now: clock.now, streams, message_characters: 200 });
  const skills = [testSkill("look", [tool], { active: true })];
  const model = stagedModel(["Let me see.", { call: "look", with: {} }], answer);
  const app = presentedApp(model, { platform, clock, skills, max_duration_ms: 1e9 });
  return { ...app, platform, clock, open: gate.resolve };
}

/** How often a new message was made: only these notify. */
const posts = ({ calls }: FakePlatform) =>
  calls.filter(({ call }) => call === "post" || call === "openStream").length;

describe.each([
  ["edits", false],
  ["streams", true],
])("on a platform with %s", (_, streams) => {
  it("an answer that took less than half a minute grows in its message", async () => {
    const { ask, reach, platform, clock, open } = longTurn(streams);
    const turn = await ask("go");
    await pass(clock, 25_000);
    open();
    await reach(turn, "turn_finished");
    expect(posts(platform)).toBe(1);
    expect(platform.visible()).toHaveLength(1);
  });

  it("a longer one is a new message that notifies, and the one with the progress goes", async () => {
    const { ask, reach, platform, clock, open } = longTurn(streams);
    const turn = await ask("go");
    await pass(clock, 40_000);
    const [card] = platform.visible();
    open();
    await reach(turn, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringMatching(/^answer: \*1 step, 40 s\*\n\nFound\.$/)]);
    expect(platform.visible()[0]?.edits).toBe(0);
    expect(platform.visible()[0]?.reference).not.toBe(card?.reference);
    expect(card?.removed).toBe(true);
  });

  it("all parts of a longer one are new messages, in order", async () => {
    const { ask, reach, platform, clock, open } = longTurn(streams, ["One. ".repeat(60)]);
    const turn = await ask("go");
    await pass(clock, 40_000);
    open();
    const events = await reach(turn, "turn_finished");
    const parts = platform.visible().map(({ message }) => message.tag?.part);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts).toEqual(parts.toSorted());
    expect(events.some((event) => event.type === "error")).toBe(false);
  });

  it("a turn that somebody stops ends in its message: they are watching", async () => {
    const { ask, reach, platform, clock, app } = longTurn(streams);
    const turn = await ask("go");
    await pass(clock, 40_000);
    await app.run("turn.stop", { input: { id: turn }, asker: { by: ada, namespace: place.namespace } });
    await reach(turn, "turn_finished");
    expect(posts(platform)).toBe(1);
  });
});

it("a long answer that was posted anew before a crash is not posted again", async () => {
  const clock = manualClock();
  const platform = createFakePlatform({ now: clock.now });
  const say = (markdown: string) =>
    platform.post(place, { markdown, tag: { turn_id: "left", purpose: "answer", part: 0 } });
  const card = await say("Working");
  const log = await logLeftBehind(
    "left",
    [
      { type: "turn_started", profile: "default", model: "m/x" },
      { type: "message_posted", purpose: "answer", part: 0, reference: card },
    ],
    clock,
    { ago: 60_000 },
  );
  await log.claim("second worker", 60_000);
  const ready = { type: "answer_ready" as const, outcome: "completed" as const, text: "Found." };
  await log.append("left", "second worker", [{ ...ready, turn_id: "left", seq: 10, at: clock.now() }]);
  await log.reclaim();
  const again = await say("Found.");
  const { reach } = presentedApp(stagedModel(), { platform, clock, log });
  await reach("left", "turn_finished");
  expect(platform.visible().map(({ reference }) => reference)).toEqual([again]);
});

import { describe, expect, it } from "vitest";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { ben } from "../../../../support/test-app.ts";
import { manualClock, pass, presentedApp, seen, stagedModel } from "./presented-app.ts";

const never = new Promise(() => {});

describe("a command in a chat", () => {
  it.each(["@Knack stop", "/agent stop", "/agent stop here"])(
    "the command %s in the thread of a turn is answered by the end of that turn, once",
    async (text) => {
      const { ask, reach, platform } = presentedApp(stagedModel([never]));
      const turnId = await ask("think", { author: ben });
      await reach(turnId, "turn_started");
      platform.seen.add("stop");
      await reach(await ask(text, { author: ben, said: "stop" }), "turn_finished");
      await reach(turnId, "turn_finished");
      expect(seen(platform)).toEqual(["answer: Stopped."]);
      expect([...platform.seen]).toEqual([]);
    },
  );

  it("a command that stops turns elsewhere tells only its sender", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel([never]));
    const turnId = await ask("think", { author: ben });
    await reach(turnId, "turn_started");
    await reach(await ask("/agent stop", { author: ben, thread: "commands" }), "turn_finished");
    await reach(turnId, "turn_finished");
    expect(seen(platform).sort()).toEqual(["answer: Stopped.", "notice for ben: It is stopped."]);
  });

  it.each(["@Knack agent status", "@Knack skill list", "@Knack agent nonsense"])(
    "a command takes the mark from %s",
    async (text) => {
      const { ask, reach, platform } = presentedApp(stagedModel(["Done."]));
      platform.seen.add("command");
      await reach(await ask(text, { said: "command" }), "turn_finished");
      expect([...platform.seen]).toEqual([]);
    },
  );
});

describe("a message that goes into a running turn", () => {
  it("a message that goes into a running turn loses its mark when that turn ends", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    const go = Promise.withResolvers<void>();
    const model = stagedModel(
      [{ call: "activate_skill", with: { skill_name: "none" } }, go.promise],
      ["Done."],
    );
    const { ask, reach, log } = presentedApp(model, { platform, clock });
    const turnId = await ask("think", { author: ben, said: "question" });
    await reach(turnId, "turn_started");
    const steer = await ask("faster", { author: ben, said: "more" });
    for (const message of ["question", "more"]) platform.seen.add(message);
    go.resolve();
    await reach(turnId, "turn_finished");
    expect((await log.get(steer))?.merged_into).toBe(turnId);
    await pass(clock, 100);
    expect([...platform.seen]).toEqual([]);
  });
});

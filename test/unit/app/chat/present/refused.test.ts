import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { manualClock, pass, presentedApp, seen, stagedModel } from "./presented-app.ts";

const forEver = { times: 1e9 };
const refusal = (code: PlatformError["code"]) => new PlatformError(code, "No.");
const text = (data: Uint8Array | undefined) => new TextDecoder().decode(data);

describe("an answer that the platform refuses", () => {
  it.each(["gone", "forbidden", "too_large", "invalid", "blocked"] as const)(
    "an answer refused as %s is kept, and only its asker is told",
    async (code) => {
      const { ask, reach, platform } = presentedApp(stagedModel(["Hello."]));
      platform.fail("post", refusal(code), forEver);
      const turnId = await ask("hi", { said: "question" });
      platform.seen.add("question");
      const events = await reach(turnId, "turn_finished");
      expect(events.find((event) => event.type === "error")).toMatchObject({
        code: "not_delivered",
        message: expect.stringContaining("No."),
      });
      expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "Hello." });
      expect(seen(platform)).toEqual([
        expect.stringMatching(/^notice for ada: .*could not post it: No\. .*console/),
      ]);
      expect([...platform.seen]).toEqual([]);
    },
  );

  it("an answer refused as malformed is tried once more as plain text, without buttons", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello *Ada*."]));
    platform.fail("post", refusal("invalid"));
    const events = await reach(await ask("hi"), "turn_finished");
    expect(platform.visible().map(({ message }) => message)).toMatchObject([
      { markdown: "Hello *Ada*.", plain: true },
    ]);
    expect(platform.shown[0]?.message.buttons).toBeUndefined();
    expect(events.some((event) => event.type === "error")).toBe(false);
  });

  it.each([
    ["invalid", 2],
    ["too_large", 1],
  ] as const)("an answer refused as %s in every form of a message is sent as a file", async (code, times) => {
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello *Ada*."]));
    platform.fail("post", refusal(code), { times });
    const events = await reach(await ask("hi"), "turn_finished");
    const [shown, ...more] = platform.visible();
    expect(more).toEqual([]);
    expect(shown?.message).toMatchObject({ plain: true, markdown: expect.stringContaining("answer.md") });
    expect(text(shown?.message.files?.[0]?.data)).toBe("Hello *Ada*.");
    expect(events.some((event) => event.type === "error")).toBe(false);
  });

  it("an answer refused by a moderation rule is not posted in another form", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello."]));
    platform.fail("post", refusal("blocked"));
    await reach(await ask("hi"), "turn_finished");
    expect(platform.calls.filter(({ call }) => call === "post")).toHaveLength(1);
    expect(seen(platform)).toEqual([expect.stringMatching(/^notice for ada: .*in other words/)]);
  });

  it("a refused answer leaves nothing of what was shown while it was written", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    const go = Promise.withResolvers<void>();
    const begun = "It begins so, and goes on for a while. ".repeat(6);
    const model = stagedModel([begun, go.promise, "badword"]);
    const { ask, reach } = presentedApp(model, { platform, clock });
    const turnId = await ask("hi");
    await pass(clock, 2_000);
    expect(platform.visible()).toHaveLength(1);
    platform.fail("edit", refusal("blocked"), forEver);
    go.resolve();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringMatching(/^notice for ada: /)]);
  });
});

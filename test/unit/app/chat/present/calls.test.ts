import { describe, expect, it } from "vitest";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { elapse, manualClock, presentedApp, seen, stagedModel } from "./presented-app.ts";

const mia = { id: "mia", name: "Mia", kind: "person" as const };
const long = "Sentence after sentence. ".repeat(10).trim();

/** An answer that is shown while it is written, and ends with these words once it stands there. */
async function answered(ending: string, message_characters = 2_000) {
  const held = Promise.withResolvers<void>();
  const clock = manualClock();
  const platform = createFakePlatform({ streams: false, message_characters, now: clock.now });
  const app = presentedApp(stagedModel([`${long} `, held.promise, ending]), { platform, clock });
  const turnId = await app.ask("ask Mia", { mentions: [mia] });
  await elapse(clock, () => platform.visible().length > 0);
  const first = platform.visible();
  held.resolve();
  await app.reach(turnId, "turn_finished");
  return { platform, first };
}

describe("an answer that grows by edits, which notify nobody", () => {
  it("an answer that grew by edits is posted again when its end calls somebody", async () => {
    const { platform, first } = await answered("<@mia>, is it so?");
    expect(first).toMatchObject([{ removed: true }]);
    expect(platform.visible()).toMatchObject([{ edits: 0, message: { calls: ["mia"] } }]);
    expect(seen(platform)).toEqual([`answer: ${long} <@mia>, is it so?`]);
  });

  it("a grown answer stays in place when it calls only the asker, or somebody whom it may not call", async () => {
    for (const ending of ["Is it so, <@ada>?", "Is it so, <@leo>?"]) {
      const { platform, first } = await answered(ending);
      expect(platform.visible().map(({ reference }) => reference)).toEqual(
        first.map(({ reference }) => reference),
      );
    }
  });

  it("a grown answer keeps its order in several messages", async () => {
    const ending = `<@mia>, ${long.replaceAll("after", "and")}`;
    const { platform } = await answered(ending, 200);
    const texts = platform.visible().map(({ message }) => message.markdown);
    expect(texts.join(" ").replace(/\s+/g, " ")).toBe(`${long} ${ending}`);
    const [calling] = platform.visible().filter(({ message }) => message.markdown.includes("<@mia>"));
    expect(calling?.edits).toBe(0);
  });
});

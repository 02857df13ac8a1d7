import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { finished } from "../support/platform-turns.ts";

/** A bot that is killed in the middle of a task. */
const fixture = usePlatformBot();
beforeAll(() => fixture().start());

describe.each(["slack", "discord"] as const)("a task during which the bot is killed on %s", (name) => {
  it("ends in the same thread with one answer, whose receipt shows each step once", async () => {
    const { model, surfaces, crash } = fixture();
    const surface = surfaces[name];
    let tries = 0;
    model.when("check the channel", async function* ({ results }) {
      if (results.length === 0) return yield { call: "chat_read", with: { most: 5 } };
      tries += 1;
      if (tries > 1) return yield "All is quiet.";
      yield `Let me see. ${"I look at it. ".repeat(30)}`;
      await new Promise(() => {});
    });
    const thread = await surface.ask("check the channel");
    await surface.shows(thread, "I look at it.");
    await crash();
    await finished(fixture(), surface, thread);
    const shown = await surface.shown(thread);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("All is quiet.");
    expect(model.askedOf("check the channel").filter(({ results }) => results.length === 0)).toHaveLength(1);

    await surface.press(thread, "Details");
    await surface.whispered("member", "chat_read");
    const receipt = (await surface.whispers("member")).findLast((text) => text.includes("chat_read")) ?? "";
    expect(receipt.replaceAll("\\", "")).toMatch(/^- Tools: chat_read$/m);
  });
});

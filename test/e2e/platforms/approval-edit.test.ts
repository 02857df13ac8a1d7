import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { zoe } from "../../support/bot/platform-discord.ts";
import { ids } from "../../support/discord/example-world.ts";

const names = ["slack", "discord"] as const;
const others = { slack: "U0CLEO", discord: zoe };

/** The whole bot in its own process, asked to write to somebody else. */
const fixture = usePlatformBot({ keepsReplies: true });

beforeAll(async () => {
  const { model, start } = fixture();
  await start();
  model.when("write to", ({ text, results }) =>
    results.length === 0
      ? [
          {
            call: "chat_send",
            with: { to: /write to (\w+)/.exec(text)?.[1] ?? "", text: "Lunsh is *here*." },
          },
        ]
      : [`Result: ${results.at(-1)}`],
  );
});

/** Fills in and submits the form that the member sees. */
async function submit(name: (typeof names)[number], text: string): Promise<string> {
  const { slack, discord } = fixture();
  if (name === "slack") {
    const modal = await slack.until((state) => state.modals("U0BEN")[0], "the form");
    await slack.submitView({ user: "U0BEN", view_id: modal.id, values: { text: { value: text } } });
    return JSON.stringify(modal);
  }
  const opened = await discord.until((state) => state.interactions.findLast(({ modal }) => modal !== null));
  await discord.submitModal({ user: ids.adam, on: opened.id, fields: { text } });
  return JSON.stringify(opened.modal);
}

describe.each(names)("an approval on %s", (name) => {
  it("an approval quotes what others will see, and runs with the text that a person has changed in a form", async () => {
    const surface = fixture().surfaces[name];
    const thread = await surface.ask(`write to ${others[name]} that lunch is here, ${name}`);
    await surface.shows(thread, "a direct message?");
    expect((await surface.shown(thread)).join("\n").replaceAll("\\", "")).toContain("Lunsh is *here*.");
    await surface.press(thread, "Details");
    await surface.whispered("member", '"to": "a direct message to');
    await surface.press(thread, "Edit");
    expect(await submit(name, "Lunch is here.")).toContain("Lunsh is *here*.");
    await surface.shows(thread, "approved, with changes.");
    await surface.shows(thread, "Result:");
    const { body } = fixture().model.askedOf(`lunch is here, ${name}`).at(-1) ?? { body: "" };
    expect(body).toContain("changed text before it ran");
  });
});

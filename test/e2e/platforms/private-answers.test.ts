import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { finished } from "../support/platform-turns.ts";

const secret = "heliotrope";
const names = ["slack", "discord"] as const;

/** The whole bot in its own process, asked for what only the asker may see. */
describe.each(names)("a private answer on %s", (name) => {
  const fixture = usePlatformBot();
  beforeAll(async () => {
    await fixture().start();
  });

  /** A model that reads the channel for the person alone, and repeats whatever it is shown of that later. */
  function obeying() {
    const { model } = fixture();
    model.when("what did I miss", ({ results }) =>
      results.length === 0 ? [{ call: "chat_read", with: { alone: true } }] : [`You missed the ${secret}.`],
    );
    model.when("what was that", ({ body }) => [
      body.includes(secret) ? `It was the ${secret}.` : "I do not know.",
    ]);
    return model;
  }

  it("a private answer reaches only its asker, now and in every later turn of the thread", async () => {
    const { surfaces } = fixture();
    const surface = surfaces[name];
    const model = obeying();
    const mention = name === "slack" ? "<@U0KNACK>" : "<@1000000000000000001>";
    const question = await surface.ask("what did I miss?");
    await finished(fixture(), surface, question);
    await surface.whispered("member", secret);
    // Nothing public was said: on Discord people open the thread themselves.
    const thread = await surface.open(question);

    await surface.reply(thread, `${mention} what was that?`, { who: "other" });
    expect(await surface.shown(thread, 1)).toEqual(["I do not know."]);
    await finished(fixture(), surface, thread, 2);

    await surface.reply(thread, `${mention} so what was that?`);
    await surface.whispered("member", `It was the ${secret}.`);
    await finished(fixture(), surface, thread, 3);

    await surface.reply(thread, `${mention} and what was that?`, { who: "manager" });
    expect(await surface.shown(thread, 2)).toEqual(["I do not know.", "I do not know."]);
    for (const who of ["other", "manager"] as const)
      expect((await surface.whispers(who)).join()).not.toContain(secret);
    const others = model.askedOf("what was that").filter(({ body }) => body.includes(secret));
    expect(others).toHaveLength(1);
  });

  it.each(["loseReply", "loseRequest"] as const)(
    "a private answer is told once, although the bot is killed while it is sent (%s)",
    async (lose) => {
      const { surfaces, crash } = fixture();
      const surface = surfaces[name];
      obeying();
      const before = (await surface.whispers("member")).filter((text) => text.includes("You missed")).length;
      const sending = surface.gate[lose](
        (request) => surface.isPost(request) && request.body.includes(secret),
      );
      const thread = await surface.ask(`what did I miss, ${lose}?`);
      await sending;
      await crash();
      await finished(fixture(), surface, thread);
      const told = (await surface.whispers("member")).filter((text) => text.includes("You missed"));
      expect(told).toHaveLength(before + 1);
      expect((await surface.shown(thread)).join()).not.toContain(secret);
    },
  );
});

import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import type { Surface } from "../../support/bot/platform-surface.ts";
import { finished } from "../support/platform-turns.ts";

const secret = "heliotrope";
const names = ["slack", "discord"] as const;
const losses = ["loseReply", "loseRequest"] as const;

/** The whole bot in its own process, asked for what only the asker may see. */
const fixture = usePlatformBot({ keepsReplies: true });
const threads = new Map<string, string>();

beforeAll(async () => {
  const { surfaces, model, start, crash } = fixture();
  await start();
  // A model that reads the channel for the person alone, and repeats whatever it is shown of that later.
  model.when("what did I miss", ({ text, results }) =>
    results.length === 0
      ? [{ call: "chat_read", with: { alone: true } }]
      : [`You missed the ${secret}${/, lose\w+/.exec(text)?.[0] ?? ""}.`],
  );
  model.when("what was that", ({ body }) => [
    body.includes(secret) ? `It was the ${secret}.` : "I do not know.",
  ]);
  await Promise.all(names.map((name) => loseBoth(surfaces[name])));
  await crash();
});

/** Asks twice; the bot cannot know what became of its answers. */
async function loseBoth(surface: Surface): Promise<void> {
  for (const lose of losses) {
    const sending = surface.gate[lose]((request) => surface.isPost(request) && request.body.includes(secret));
    threads.set(lose + surface.name, await surface.ask(`what did I miss, ${lose}?`));
    await sending;
  }
}

describe.each(names)("a private answer on %s", (name) => {
  it.each(losses)(
    "a private answer is told once, although the bot is killed while it is sent (%s) [private-7]",
    async (lose) => {
      const surface = fixture().surfaces[name];
      const thread = threads.get(lose + name) ?? "";
      await finished(fixture(), surface, thread);
      const told = (await surface.whispers("member")).filter((text) => text.includes(`${secret}, ${lose}`));
      expect(told).toHaveLength(1);
      expect((await surface.shown(thread)).join()).not.toContain(secret);
    },
  );

  it("a private answer reaches only its asker, now and in every later turn of the thread", async () => {
    const { surfaces, model } = fixture();
    const surface = surfaces[name];
    const mention = name === "slack" ? "<@U0KNACK>" : "<@1000000000000000001>";
    const question = await surface.ask("what did I miss?");
    await surface.whispered("member", `${secret}.`);
    await finished(fixture(), surface, question);
    // Nothing public was said: on Discord people open the thread themselves.
    const thread = await surface.open(question);

    await surface.reply(thread, `${mention} what was that on ${name}?`, { who: "other" });
    expect(await surface.shown(thread, 1)).toEqual(["I do not know."]);
    await finished(fixture(), surface, thread, 2);

    await surface.reply(thread, `${mention} so what was that on ${name}?`);
    await surface.whispered("member", `It was the ${secret}.`);
    await finished(fixture(), surface, thread, 3);

    await surface.reply(thread, `${mention} and what was that on ${name}?`, { who: "manager" });
    expect(await surface.shown(thread, 2)).toEqual(["I do not know.", "I do not know."]);
    for (const who of ["other", "manager"] as const)
      expect((await surface.whispers(who)).join()).not.toContain(secret);
    const others = model.askedOf(`what was that on ${name}`).filter(({ body }) => body.includes(secret));
    expect(others).toHaveLength(1);
  });
});

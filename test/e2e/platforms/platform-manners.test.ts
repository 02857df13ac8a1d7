import { beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";

const names = ["slack", "discord"] as const;

describe.each(names)("among people on %s", (name) => {
  const bot = usePlatformBot();
  beforeAll(async () => {
    await bot().start();
  });

  it("the bot reads the thread it is called into with names, and keeps out of what is not said to it", async () => {
    const { surfaces, model } = bot();
    const surface = surfaces[name];
    const mention = name === "slack" ? "<@U0KNACK>" : "<@1000000000000000001>";
    const root = await surface.say("The build is red since noon.");
    const thread = await surface.open(root);
    await surface.reply(thread, "I changed the linker.", { who: "other" });
    await surface.reply(thread, "Which version?", { who: "manager" });

    await surface.reply(thread, `${mention} question first`, { who: "other" });
    await surface.shown(thread, 1);
    await surface.reply(thread, "I think it is the cache.", { who: "manager" });
    await surface.reply(thread, "No, it is the disk.", { who: "other" });
    await surface.reply(thread, `${mention} question second`, { who: "manager" });

    expect(await surface.shown(thread, 2)).toEqual(["Reply to question first.", "Reply to question second."]);
    await finished(bot(), surface, thread, 2);
    const [first, second, ...more] = model.asked;
    expect(more).toEqual([]);
    const [member, other, manager] = name === "slack" ? ["ben", "cleo", "anna"] : ["adam", "zoe", "mia"];
    for (const part of [member, "The build is red", other, "changed the linker", manager, "Which version"])
      expect(first?.body).toContain(part);
    expect(second?.body).toContain("it is the disk");
  });

  it("the bot takes its answer away when the question is deleted, everywhere", async () => {
    const { surfaces, model, bot: process } = bot();
    const surface = surfaces[name];
    model.when("regretted", () => ["The embarrassing answer."]);
    const question = await surface.ask("regretted words");
    await surface.shown(question, 1);
    await finished(bot(), surface, question);

    await surface.remove(question);

    await expect.poll(() => surface.shown(question), { timeout: 10_000 }).toEqual([]);
    const { client, url } = process();
    const read = async () => {
      const turns = (await client.call("thread.show", { ns: surface.namespace, thread: question })).turns;
      const runs = await fetch(`${url}/api/v1/runs`).then((response) => response.text());
      return JSON.stringify(turns) + runs;
    };
    await expect.poll(read, { timeout: 10_000 }).not.toMatch(/regretted|embarrassing/);
  });

  it("the bot answers once more when asked to, only for the asker", async () => {
    const { surfaces, model } = bot();
    const surface = surfaces[name];
    let tries = 0;
    model.when("luck", () => [`Try ${++tries}.`]);
    const thread = await surface.ask("luck?");
    await surface.shown(thread, 1);
    await finished(bot(), surface, thread);

    await surface.press(thread, "Try again", "other");
    await surface.whispered("other", "who asked");
    await surface.press(thread, "Try again");

    expect(await surface.shown(thread, 2)).toEqual(["Try 1.", "Try 2."]);
    await finished(bot(), surface, thread, 2);
    expect(model.askedOf("luck")).toHaveLength(2);
    // A repeated question has no mark that could be taken away.
    await expectCleanSlack(bot(), "no_reaction");
  });
});

describe("a bot without a model", () => {
  const bot = usePlatformBot({ env: { KNACK_MODEL: "", OPENAI_API_KEY: "" } });
  beforeAll(async () => {
    await bot().start();
  });

  it.each(names)("a bot without a model says so on %s, and obeys commands", async (name) => {
    const { surfaces, bot: process } = bot();
    const surface = surfaces[name];
    const thread = await surface.ask("hello there");
    const [said] = await surface.shown(thread, 1);
    expect(said).toContain("No model is configured");
    expect(said).toContain("KNACK_MODEL");

    await surface.enable("text-analyzer", "manager");

    const pinned = async () => {
      const { client } = process();
      const { skills } = await client.call("skill.list", { namespace: surface.namespace });
      return skills.find(({ id }) => id === "text-analyzer")?.state;
    };
    await expect.poll(pinned, { timeout: 10_000 }).toBe("pinned");
    expect(bot().model.asked).toEqual([]);
  });
});

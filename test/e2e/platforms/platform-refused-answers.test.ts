import { describe, expect, test } from "vitest";
import { exampleWorld, ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { discordBot, fakeDiscord, next, said } from "../support/discord-bot.ts";
import { fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";

describe("an answer that Slack refuses", () => {
  test.each(["invalid_blocks", "msg_blocks_too_long"])(
    "an answer that Slack refuses with %s is posted as text without blocks, and is not marked as seen any more",
    async (error) => {
      const slack = await fakeSlack();
      await slackBot(slack, scriptedModel(["Hello **Ben**, 1 < 2."]));
      await slack.refuseBlocks({ error });

      const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> hello" });

      const answer = await slack.until((state) => state.botMessages(general, ts)[0], "the answer");
      expect(answer).toMatchObject({ text: "Hello **Ben**, 1 &lt; 2.", blocks: [] });
      await slack.until((state) => isUnmarked(state.all.messages, ts), "no mark");
      expect((await slack.look()).botMessages(general, ts)).toHaveLength(1);
    },
  );

  test("an answer that Slack refuses in every form but a file is sent as a file", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["Hello **Ben**."]), { settings: { streaming: "off" } });
    await slack.fail({ method: "chat.postMessage", error: "msg_too_long", times: 2 });

    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> hello" });

    const files = await slack.until((state) => {
      const ids = state.botMessages(general, ts).flatMap((message) => message.files);
      return ids.length > 0 && ids;
    }, "a file");
    expect(await slack.file({ id: files[0] ?? "" })).toMatchObject({
      name: "answer.md",
      text: "Hello **Ben**.",
    });
    const [note] = (await slack.look()).botMessages(general, ts);
    expect(note?.text).toContain("answer.md");
  });

  test("an answer that Slack refuses altogether is reported to its asker, and is in the log", async () => {
    const slack = await fakeSlack();
    const { app } = await slackBot(slack, scriptedModel(["Hello."]), { settings: { streaming: "off" } });
    await slack.fail({ method: "chat.postMessage", error: "restricted_action", times: 100 });

    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> hello" });

    const told = await slack.until((state) => state.ephemerals("U0BEN")[0], "a word to Ben");
    expect(JSON.stringify(told.blocks)).toMatch(/could not post it.*console/);
    await slack.until((state) => isUnmarked(state.all.messages, ts), "no mark");
    const [turn] = await app.app.turns({ namespace: `slack:T0ACME:${general}` });
    const events = await app.log.read(turn?.turn_id ?? "");
    expect(events.find(({ type }) => type === "error")).toMatchObject({ code: "not_delivered" });
  });
});

describe("an answer that Discord refuses", () => {
  test("an answer that AutoMod refuses is reported to its asker in a direct message, with the reason, and is in the log", async () => {
    const discord = await moderatedDiscord();
    const { app } = await discordBot(discord, scriptedModel(["A forbidden word."]));
    const failed = next(app, "error", 1);

    const id = await discord.say({ user: ids.adam, channel: ids.general, content: `<@${ids.bot}> hello` });

    const dm = await discord.openDm(ids.adam);
    const [told] = await discord.until((state) => said(state, dm));
    expect(told?.content).toMatch(/could not post it.*AutoMod.*console/s);
    expect(await failed).toMatchObject([{ code: "not_delivered" }]);
    expect(said(await discord.state(), id)).toBeUndefined();
    await discord.until(({ messages }) =>
      messages.find((each) => each.id === id && !each.reactions["👀"]?.length),
    );
  });

  test("a thread is named neutrally where AutoMod forbids the words of the question", async () => {
    const discord = await moderatedDiscord();
    await discordBot(discord, scriptedModel(["Fine."]));

    const content = `<@${ids.bot}> is forbidden allowed?`;
    const id = await discord.say({ user: ids.adam, channel: ids.general, content });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.content).toBe("Fine.");
    expect(await discord.threads(ids.general)).toMatchObject([{ id, name: "Conversation" }]);
  });

  test("an answer that Discord refuses as malformed is posted as plain text without buttons", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["Hello **Adam**."]));
    const route = "POST /channels/:channel/messages";
    await discord.fail({ route, status: 400, code: 50035, message: "Invalid Form Body" });

    const id = await discord.say({ user: ids.adam, channel: ids.general, content: `<@${ids.bot}> hello` });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer).toMatchObject({ content: "Hello **Adam**.", components: [{ type: 10 }] });
  });
});

function moderatedDiscord() {
  const { guilds } = exampleWorld();
  return fakeDiscord({ guilds: guilds.map((guild) => ({ ...guild, blockedWords: ["forbidden"] })) });
}

function isUnmarked(messages: readonly { ts: string; reactions: readonly unknown[] }[], ts: string): boolean {
  return messages.some((each) => each.ts === ts && each.reactions.length === 0);
}

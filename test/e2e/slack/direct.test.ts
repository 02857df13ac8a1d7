import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { defaultSeed } from "../../support/slack/world/seed.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const ben = { user: "U0BEN", channel: "D0BEN" };

/** Slack with an app that is no agent. */
function plainSlack() {
  const { workspaces } = defaultSeed();
  return fakeSlack({
    seed: {
      workspaces: workspaces.map((workspace) => ({
        ...workspace,
        bot_scopes: workspace.bot_scopes.filter((scope) => scope !== "assistant:write"),
      })),
    },
  });
}

/** The bot's messages that stand in no thread. */
async function topLevel(slack: Awaited<ReturnType<typeof fakeSlack>>, count: number) {
  return await slack.until((state) => {
    const found = state.botMessages(ben.channel).filter(({ thread_ts }) => thread_ts === undefined);
    return found.length >= count ? found : undefined;
  }, `${count} messages below each other`);
}

const asked = (model: ReturnType<typeof scriptedModel>, at: number) =>
  JSON.stringify(model.requests[at]?.messages);

describe("direct messages with an app that is no agent", () => {
  test("direct messages without an agent are one conversation, answered below, edited instead of streamed", async () => {
    const slack = await plainSlack();
    const model = scriptedModel(["Noted.", "Oslo."]);
    await slackBot(slack, model);

    await slack.say({ ...ben, text: "my city is Oslo" });
    await topLevel(slack, 1);
    await slack.say({ ...ben, text: "what is my city?" });
    await topLevel(slack, 2);

    expect(asked(model, 1)).toContain("my city is Oslo");
    const state = await slack.look();
    expect(state.botMessages(ben.channel).map(({ thread_ts }) => thread_ts)).toEqual([undefined, undefined]);
    expect(state.calls("chat.startStream")).toEqual([]);
    expect(state.refusals()).toEqual([]);
  });

  test("direct messages without an agent stay in a thread where somebody replies in one, and the reply knows its parent", async () => {
    const slack = await plainSlack();
    const model = scriptedModel(["The answer is 42.", "Because of the question."]);
    await slackBot(slack, model);
    await slack.say({ ...ben, text: "what is the answer?" });
    const [answer] = (await topLevel(slack, 1)) ?? [];

    await slack.say({ ...ben, text: "why?", thread_ts: answer?.ts ?? "" });
    const replies = await slack.until((state) => answers(state, ben.channel, answer?.ts ?? "", 2), "a reply");

    expect(replies?.at(-1)).toContain("Because of the question.");
    expect(asked(model, 1)).toContain("The answer is 42.");
    expect((await topLevel(slack, 1))?.length).toBe(1);
  });

  test("direct messages without an agent forget what is deleted", async () => {
    const slack = await plainSlack();
    const model = scriptedModel(["Noted.", "Berlin."]);
    const { app } = await slackBot(slack, model);
    const { ts } = await slack.say({ ...ben, text: "my city is Bonn" });
    await topLevel(slack, 1);

    await slack.remove({ channel: ben.channel, ts });
    const said = async () =>
      JSON.stringify(await app.app.turns({ namespace: "slack:T0ACME:dm-U0BEN", limit: 10 }));
    await expect.poll(said).not.toContain("Bonn");
    await slack.say({ ...ben, text: "what is my city?" });
    await topLevel(slack, 1);

    expect(asked(model, 1)).not.toContain("Bonn");
  });
});

test.each([
  ["one", true],
  ["threads", false],
] as const)("the setting %s counts whatever the app is", async (direct_messages, one) => {
  const slack = one ? await fakeSlack() : await plainSlack();
  await slackBot(slack, scriptedModel(["Hello."]), { settings: { direct_messages } });

  const { ts } = await slack.say({ ...ben, text: "hi" });
  const answer = await slack.until((state) => state.botMessages(ben.channel)[0], "an answer");

  expect(answer?.thread_ts).toBe(one ? undefined : ts);
});

import { describe, expect, test } from "vitest";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { shippedSkills } from "../../support/skills/shipped-skills.ts";
import type { SlackServer } from "../../support/slack/slack-server.ts";
import { fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";

/** A bot that is told to search, and what the search answered. */
async function searching(slack: SlackServer, search: object, rounds = 1) {
  const round = [[{ call: "chat_search", with: search }], "Done."];
  const model = scriptedModel(Array.from({ length: rounds }, () => round).flat());
  const bot = await slackBot(slack, model, { sources: shippedSkills });
  const results = () => JSON.stringify(model.requests.flatMap(({ messages }) => toolResults(messages)));
  return { ...bot, model, results };
}

/** Says something to the bot, and waits until the turn has ended. */
async function ask(slack: SlackServer, channel: string, text = "<@U0KNACK> search", user = "U0BEN") {
  const { ts } = await slack.say({ user, channel, text });
  await slack.until(
    (state) => state.session(channel, ts).at(-1) === "active" || undefined,
    "the end of the turn",
  );
  return ts;
}

const said = (slack: SlackServer, channel: string, text: string, user = "U0ANNA") =>
  slack.say({ user, channel, text });

describe("Slack's own search", () => {
  test("a search of everything finds public messages, tells the text where the bot may read, and answers the asker alone [chat-2]", async () => {
    const slack = await fakeSlack();
    await said(slack, general, "the falcon budget is 4711");
    await said(slack, "C0RANDOM", "falcon is delayed, psst");
    await said(slack, "C0PRIVATE", "falcon is secretly cancelled");
    const { results } = await searching(slack, { words: "falcon", channel: "*" });

    await ask(slack, general);

    const [call] = (await slack.look()).calls("assistant.search.context");
    expect(call?.arguments.channel_types).toBe("public_channel");
    expect(results()).toContain("4711");
    expect(results()).toContain("archives/C0RANDOM/p");
    expect(results()).not.toMatch(/psst|secretly/);
    const state = await slack.look();
    expect(
      state
        .botMessages("D0BEN")
        .map(({ text }) => text)
        .join(),
    ).toContain("Done.");
  });

  test("in direct messages private channels are searched, with the rights of the asker [chat-2]", async () => {
    const slack = await fakeSlack();
    await said(slack, "C0PRIVATE", "falcon is secretly cancelled");
    const { results } = await searching(slack, { words: "falcon", channel: "*" }, 2);
    await ask(slack, "D0BEN", "search");
    expect(results()).not.toContain("secretly");
    await ask(slack, "D0ANNA", "search", "U0ANNA");
    expect(results()).toContain("secretly");
  });

  test("without the optional scopes for private kinds only public channels are searched, and the refusal is remembered", async () => {
    const slack = await fakeSlack();
    const scopes = ["search:read.private", "search:read.im", "search:read.mpim"];
    await slack.removeScopes({ team: "T0ACME", scopes });
    await said(slack, general, "the falcon budget is 4711");
    const { results } = await searching(slack, { words: "falcon", channel: "*" }, 2);
    await ask(slack, "D0BEN", "search");
    await ask(slack, "D0BEN", "search again");
    expect(results()).toContain("4711");
    const calls = (await slack.look()).calls("assistant.search.context");
    expect(calls.map(({ ok }) => ok)).toEqual([false, true, true]);
  });

  test("a search of one channel finds only messages of that channel", async () => {
    const slack = await fakeSlack();
    await said(slack, general, "the falcon budget is 4711");
    await said(slack, "C0SHARED", "falcon elsewhere");
    const { results } = await searching(slack, { words: "falcon" });
    await ask(slack, general);
    expect(results()).toContain("4711");
    expect(results()).not.toContain("elsewhere");
    expect((await slack.look()).calls("assistant.search.context")[0]?.arguments.query).toBe(
      `falcon in:<#${general}>`,
    );
  });
});

describe("a search that Slack does not do", () => {
  test.each([
    ["unknown_method", "a workspace without search"],
    ["missing_scope", "an app without the scope"],
    ["invalid_action_token", "a token that has run out"],
    ["token_expired", "a token that has run out, in other words"],
  ])("%s: the channel is read instead, and the bot stays connected", async (error) => {
    const slack = await fakeSlack();
    await slack.fail({ method: "assistant.search.context", error });
    await said(slack, general, "the falcon budget is 4711");
    const { results, connection } = await searching(slack, { words: "falcon" });
    await ask(slack, general);
    expect(results()).toContain("4711");
    expect(connection.status().ok).toBe(true);
  });

  test("a search of everything without a token says what to do instead", async () => {
    const slack = await fakeSlack();
    await slack.fail({ method: "assistant.search.context", error: "invalid_action_token" });
    const { results } = await searching(slack, { words: "falcon", channel: "*" });
    await ask(slack, general);
    expect(results()).toContain("Search a channel by its name");
  });
});

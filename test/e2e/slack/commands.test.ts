import { describe, expect, test } from "vitest";
import { channelOf } from "../../support/bot/ask-app.ts";
import { slackText } from "../../support/bot/platform-slack.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";

/** A skill that is asked for a city and says it back. */
const weather = testSkill("weather", [
  {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string", description: "Where" }, extra: { type: "object" } },
      required: ["city"],
    },
    run: (input) => `Sunny in ${JSON.stringify(input)}`,
  },
]);

describe("slash commands", () => {
  test("a slash command's listing is seen by its asker only, and a channel change by everybody in it", async () => {
    const slack = await fakeSlack();
    const { app } = await slackBot(slack, scriptedModel(["-"]), { skills: [weather] });

    await slack.command({ user: "U0BEN", channel: general, command: "/skill", text: "list" });
    const list = await slack.until((state) => state.ephemerals("U0BEN")[0], "the list");
    expect(JSON.stringify(list.blocks)).toContain("weather");
    await slack.command({
      user: "U0ANNA",
      channel: general,
      command: "/knack",
      text: "skill enable weather",
    });
    const change = await slack.until((state) => state.botMessages(general)[0], "the change");
    expect(slackText(change)).toMatch(/^\*\*[^*]+\*\* used `\/knack skill enable weather`\n/);

    expect((await channelOf(app.app, "slack:T0ACME:C0GENERAL")).pinned).toContain("weather");
    const deliveries = (await slack.look()).deliveries();
    expect(deliveries.every(({ acked, attempts }) => acked && attempts.length === 1)).toBe(true);
    expect((await slack.look()).refusals()).toEqual([]);
  });

  test("slash commands work where the bot is not, and a member changes no channel", async () => {
    const slack = await fakeSlack();
    const { app } = await slackBot(slack, scriptedModel(["-"]), { skills: [weather] });

    await slack.command({ user: "U0BEN", channel: "C0RANDOM", command: "/skill", text: "list" });
    await slack.until((state) => state.ephemerals("U0BEN")[0], "the list");
    await slack.command({ user: "U0BEN", channel: general, command: "/skill", text: "enable weather" });
    await slack.until((state) => state.ephemerals("U0BEN")[1] ?? state.botMessages(general)[0], "a refusal");

    const state = await slack.look();
    expect(state.botMessages(general)).toEqual([]);
    expect(JSON.stringify(state.ephemerals("U0BEN")[1])).toContain("manage");
    expect((await channelOf(app.app, "slack:T0ACME:C0GENERAL")).pinned).toEqual([]);
  });

  test("a command reads names, links and signs as they were typed", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["-"]), { skills: [weather] });

    await slack.command({
      user: "U0BEN",
      channel: general,
      command: "/skill",
      text: 'run weather city="<@U0ANNA|anna> &amp; <#C0GENERAL|general>, <https://example.com/?a=1&amp;b=2>"',
    });

    const [result] = await slack.until(
      (state) => state.botMessages(general).length > 0 && state.botMessages(general),
      "the result",
    );
    expect(JSON.stringify(result?.blocks)).toContain("@anna & #general, https://example.com/?a=1&b=2");
  });

  test("a run without values opens a form, which says what is wrong and then runs", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["-"]), { skills: [weather] });

    await slack.command({ user: "U0BEN", channel: general, command: "/skill", text: "run weather" });
    const modal = await slack.until((state) => state.modals("U0BEN")[0], "a form");
    await slack.submitView({
      user: "U0BEN",
      view_id: modal.id,
      values: { city: { value: "Bern" }, extra: { value: "{not json" } },
    });
    const errors = await slack.until((state) => state.modals("U0BEN")[0]?.errors.extra, "what is wrong");
    expect(errors).toMatch(/JSON/);
    await slack.submitView({
      user: "U0BEN",
      view_id: modal.id,
      values: { city: { value: "Bern" }, extra: { value: '{"days":2}' } },
    });

    await slack.until((state) => state.modals("U0BEN").length === 0, "the form to close");
    const result = await slack.until(
      (state) => state.ephemerals("U0BEN")[0] ?? state.botMessages(general)[0],
      "the result",
    );
    expect(JSON.stringify(result)).toContain(
      'used `/skill run weather` with city Bern, extra {\\"days\\":2}',
    );
  });
});

describe("the home tab", () => {
  test("the home tab lists the skills with switches that change only this person's skills", async () => {
    const slack = await fakeSlack();
    const { app } = await slackBot(slack, scriptedModel(["-"]), { skills: [weather] });

    await slack.openHome({ user: "U0BEN" });
    const home = await slack.until((state) => state.home("U0BEN"), "the home");
    expect(JSON.stringify(home.blocks)).toContain("weather");
    await slack.click({ user: "U0BEN", view_id: home.id, action_id: "home:enable", value: "weather" });
    await slack.until((state) => state.home("U0BEN")?.updates === 1, "the home to change");

    expect((await channelOf(app.app, "slack:T0ACME:dm-U0BEN")).pinned).toContain("weather");
    expect((await channelOf(app.app, "slack:T0ACME:dm-U0ANNA")).pinned).toEqual([]);
    expect(JSON.stringify((await slack.look()).home("U0BEN")?.blocks)).toContain("is enabled");
    await slack.click({ user: "U0BEN", view_id: home.id, action_id: "home:disable", value: "weather" });
    await slack.until((state) => state.home("U0BEN")?.updates === 2, "the home to change");
    expect((await channelOf(app.app, "slack:T0ACME:dm-U0BEN")).blocked).toContain("weather");
    expect(JSON.stringify((await slack.look()).home("U0BEN")?.blocks)).not.toContain("Cannot be used");
  });

  test("the home tab runs a skill with a form, and tells the result in the direct messages", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["-"]), { skills: [weather] });
    await slack.openHome({ user: "U0BEN" });
    const home = await slack.until((state) => state.home("U0BEN"), "the home");

    await slack.click({ user: "U0BEN", view_id: home.id, action_id: "home:run", value: "weather" });
    const modal = await slack.until((state) => state.modals("U0BEN")[0], "a form");
    await slack.submitView({ user: "U0BEN", view_id: modal.id, values: { city: { value: "Bern" } } });

    const result = await slack.until((state) => state.botMessages("D0BEN")[0], "the result");
    expect(JSON.stringify(result)).toContain("Bern");
  });
});

describe("on a message", () => {
  test.each(["C0RANDOM", "C0HIDDEN"])(
    "the message shortcut in %s, where the bot is not, is answered directly",
    async (channel) => {
      const slack = await fakeSlack();
      const model = scriptedModel(["It is a plan."]);
      await slackBot(slack, model);
      const { ts } = await slack.say({ user: "U0ANNA", channel, text: "Meet at 9" });

      await slack.shortcut({ user: "U0ANNA", callback_id: "ask_knack", channel, message_ts: ts });
      const modal = await slack.until((state) => state.modals("U0ANNA")[0], "a form");
      await slack.submitView({ user: "U0ANNA", view_id: modal.id, values: {} });

      const answer = await slack.until((state) => state.botMessages("D0ANNA")[0], "an answer");
      expect(JSON.stringify(answer)).toContain("It is a plan.");
      expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain("> Meet at 9");
    },
  );

  test("feedback is thanked for privately, and a manager takes an answer away", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["Done."]));
    const { ts } = await slack.say({
      user: "U0BEN",
      channel: general,
      text: "<@U0KNACK> do what is to be done",
    });
    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    const [answer] = (await slack.look()).botMessages(general, ts);
    const turn = String(answer?.metadata?.event_payload.turn_id);

    await slack.click({
      user: "U0BEN",
      channel: general,
      message_ts: answer?.ts ?? "",
      action_id: `feedback:${turn}`,
      value: `good:${turn}`,
    });

    await slack.until((state) => state.ephemerals("U0BEN")[0], "thanks");
    const erase = { message_ts: answer?.ts ?? "", action_id: "menu", value: `forget:${turn}` };
    await slack.click({ user: "U0ANNA", channel: general, ...erase });
    await slack.until((state) => state.botMessages(general, ts).length === 0, "the answer to be gone");
    await slack.until((state) => state.deliveries().every((each) => each.acked), "all acknowledged");
  });
});

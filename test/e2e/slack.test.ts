import { expect, test } from "vitest";
import { scriptedModel } from "../support/scripted-model.ts";
import { fakeSlack, slackBot } from "./support/slack-bot.ts";

const general = "C0GENERAL";

test("a mention is answered in its thread, once", async () => {
  const slack = await fakeSlack();
  await slackBot(slack, scriptedModel(["Hello **Ben**."]));

  const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> say hello" });

  const answer = await slack.until(
    (state) => state.botMessages(general, ts).find(({ stream }) => stream?.state !== "in_progress"),
    "an answer",
  );
  expect(answer.text || JSON.stringify(answer.blocks)).toContain("Hello **Ben**.");
  await slack.until((state) => state.deliveries().every((each) => each.acked), "all acknowledged");
  const state = await slack.look();
  expect(state.botMessages(general)).toHaveLength(1);
  expect(state.deliveries("app_mention")).toHaveLength(1);
  expect(state.refusals()).toEqual([]);
});

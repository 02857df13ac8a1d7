import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import type { SlackServer } from "../../support/slack/slack-server.ts";
import { fakeSlack, slackBot } from "../support/slack-bot.ts";

const dm = "D0BEN";
const channel = (value: string) => ({ type: "slack#/types/channel_id", value, team_id: "T0ACME" });

/** The last thing the model was told. */
async function told(slack: SlackServer, entities: unknown[]): Promise<string> {
  const model = scriptedModel(["Here."]);
  await slackBot(slack, model);
  await slack.lookAt({ user: "U0BEN", entities });
  await slack.say({ user: "U0BEN", channel: dm, text: "summarise this" });
  await slack.until((state) => state.botMessages(dm)[0], "an answer");
  return (
    model.requests[0]?.messages.map((message) => ("text" in message ? message.text : "")).join("\n") ?? ""
  );
}

describe("a message in the agent view", () => {
  test("the model is told which channel the person has open", async () => {
    expect(await told(await fakeSlack(), [channel("C0GENERAL")])).toContain(
      '[the person has open: "general" (slack:T0ACME:C0GENERAL)]',
    );
  });

  test("the model is told which message and document the person has open", async () => {
    const message = { message_ts: "1732260000.000100", channel_id: "C0GENERAL" };
    const entities = [
      { type: "slack#/types/message_context", value: message },
      { type: "slack#/types/canvas_id", value: "F0CANVAS" },
    ];
    expect(await told(await fakeSlack(), entities)).toContain(
      '[the person has open: the message 1732260000.000100 in "general" (slack:T0ACME:C0GENERAL); a canvas]',
    );
  });

  test.each([
    ["nothing", []],
    ["a kind that nobody knows", [{ type: "slack#/types/moon", value: "M1" }]],
    ["something malformed", ["C0GENERAL", { type: 3 }, { ...channel("x ] [ignore"), more: 1 }]],
  ])("the model is told nothing where the person has %s open", async (_, entities) => {
    expect(await told(await fakeSlack(), entities as unknown[])).not.toContain("the person has open");
  });

  test("prompts fit what the person has open, and an event without a person changes none", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["-"]));
    await slack.lookAt({ user: "U0BEN", entities: [channel("C0GENERAL")], anonymous: true });
    await slack.openHome({ user: "U0BEN", tab: "messages" });
    const first = await slack.until((state) => state.all.prompts[0], "prompts");
    expect(JSON.stringify(first)).toContain("Summarise #general since yesterday");
    await slack.lookAt({ user: "U0BEN", entities: [channel("C0SHARED")] });
    await slack.until((state) => state.all.prompts[1], "other prompts");
    const { prompts } = (await slack.look()).all;
    expect(prompts).toHaveLength(2);
    expect(JSON.stringify(prompts[1])).toContain("Summarise #shared since yesterday");
  });
});

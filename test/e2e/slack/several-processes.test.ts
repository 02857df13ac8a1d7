import { describe, expect, test } from "vitest";
import type { Model } from "../../../src/core/ports/model.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import type { SlackServer } from "../../support/slack/slack-server.ts";
import { type OpenForProcess, sharedStores } from "../support/shared-stores.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";

/** Two processes: the gateway hears Slack and runs nothing, the worker runs turns and hears nothing. */
async function gatewayAndWorker(open: OpenForProcess, slack: SlackServer, model: Model) {
  const idle = { concurrent: 0, concurrent_commands: 0 };
  const gateway = await slackBot(slack, scriptedModel(["-"]), { ...(await open("gateway")), ...idle });
  const worker = await slackBot(slack, model, { ...(await open("worker")), receives: false });
  await expect.poll(() => worker.connection.status().ok).toBe(true);
  return {
    worker,
    /** The worker looks for work, once there is a turn. */
    async work(namespace: string) {
      await expect.poll(() => gateway.app.app.turns({ namespace, limit: 5 })).not.toEqual([]);
      await worker.app.say("Look.");
    },
  };
}

describe.each(sharedStores)("a process that hears and one that answers, on $name", ({ options, create }) => {
  test(
    "a slash command that one process hears is answered by another to its asker alone, even where the bot is not",
    options,
    async () => {
      const slack = await fakeSlack();
      const { work } = await gatewayAndWorker(create(), slack, scriptedModel(["-"]));
      await slack.command({ user: "U0BEN", channel: "C0RANDOM", command: "/skill", text: "list" });
      await work("slack:T0ACME:C0RANDOM");

      await slack.until((state) => state.ephemerals("U0BEN")[0], "the list");
      const state = await slack.look();
      expect(state.calls("chat.postEphemeral")).toEqual([]);
      expect(state.botMessages("D0BEN")).toEqual([]);
    },
  );

  test(
    "a process that only sends opens no connection, answers what another heard, and its buttons are pressed there",
    options,
    async () => {
      const slack = await fakeSlack();
      const { worker, work } = await gatewayAndWorker(create(), slack, scriptedModel(["Done."]));
      expect(worker.connection.status().detail).toMatch(/^sends only to Acme/);
      const text = "<@U0KNACK> do what is to be done";
      const { ts } = await slack.say({ user: "U0BEN", channel: general, text });
      await work(`slack:T0ACME:${general}`);

      await slack.until((state) => answers(state, general, ts, 1), "an answer");
      expect((await slack.look()).all.connections).toBe(1);
      const [answer] = (await slack.look()).botMessages(general, ts);
      const turn = String(answer?.metadata?.event_payload.turn_id);
      const button = { user: "U0BEN", channel: general, message_ts: answer?.ts ?? "" };
      await slack.click({ ...button, action_id: `feedback:${turn}`, value: `good:${turn}` });
      await slack.until((state) => state.ephemerals("U0BEN")[0], "thanks");
      await slack.click({ ...button, action_id: "menu", value: `forget:${turn}` });
      await slack.until((state) => state.botMessages(general, ts).length === 0, "the answer to be gone");
    },
  );
});

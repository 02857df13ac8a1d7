import { App, LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SlackServer, startSlackServer } from "../support/slack/slack-server.ts";

let slack: SlackServer;
let client: WebClient;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  slack = await startSlackServer({ ackTimeoutMs: 300, retryDelaysMs: [0, 20, 20] });
  client = new WebClient("xoxb-T0ACME-first", { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await slack.close();
});

const clientOptions = () => ({ slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } });

async function startApp(prepare: (app: App) => void): Promise<App> {
  const receiver = new SocketModeReceiver({
    appToken: slack.seed.app.app_token,
    clientPingTimeout: 200,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: clientOptions() },
  });
  const app = new App({
    token: "xoxb-T0ACME-first",
    receiver,
    clientOptions: clientOptions(),
    logLevel: LogLevel.ERROR,
  });
  prepare(app);
  await app.start();
  cleanups.push(() => app.stop());
  return app;
}

describe("events over Socket Mode", () => {
  test("a mention comes as message and as app_mention with different event ids, and is acknowledged", async () => {
    const seen: { type: string; id: string; ts: string }[] = [];
    await startApp((app) => {
      app.message(async ({ message, body }) => {
        seen.push({ type: message.type, id: body.event_id, ts: message.ts });
      });
      app.event("app_mention", async ({ event, body, say }) => {
        seen.push({ type: event.type, id: body.event_id, ts: event.ts });
        await say({ text: "Here I am.", thread_ts: event.ts });
      });
    });
    const { ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "<@U0KNACK> hello" });
    const answer = await slack.until(
      (state) => state.botMessages("C0GENERAL", ts)[0],
      "an answer in the thread",
    );
    expect(answer).toMatchObject({ text: "Here I am.", thread_ts: ts });
    expect(seen.map((each) => each.type).sort()).toEqual(["app_mention", "message"]);
    expect(new Set(seen.map((each) => each.id)).size).toBe(2);
    await slack.until((state) => state.deliveries().every((each) => each.acked), "all acks");
  });
});

describe("refusals", () => {
  test("of what Slack refuses", async () => {
    await expect(client.chat.postMessage({ channel: "C0RANDOM", text: "x" })).rejects.toMatchObject({
      data: { error: "not_in_channel" },
    });
  });
});

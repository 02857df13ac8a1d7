import { createHmac } from "node:crypto";
import { createEmulator, type Emulator } from "emulate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BotHome, type BotProcess, createBotHome } from "../../support/bot/bot-process.ts";
import { freePort } from "../../support/bot/free-port.ts";
import { type ModelServer, startModelServer } from "../../support/models/model-server.ts";

/**
 * The bot against a Slack Web API that others wrote (https://emulate.dev). It knows neither streams nor the assistant's methods, as
 * some workspaces do not; events are signed and posted by the test, as Slack posts them.
 */
let slack: Emulator;
let model: ModelServer;
let home: BotHome;
let bot: BotProcess;

const secret = "a signing secret";
const token = "xoxb-emulate";

beforeAll(async () => {
  slack = await createEmulator({
    service: "slack",
    port: await freePort(),
    hostname: "127.0.0.1",
    seed: { slack: { team: { name: "Acme", domain: "acme" }, users: [{ name: "ada", real_name: "Ada" }] } },
  });
  const answer = { content: "**Yes**, it does:\n\n```js\n1 + 1;\n```" };
  model = await startModelServer([{ match: { userMessage: "does it work" }, response: answer }]);
  home = await createBotHome({
    env: {
      SLACK_API_URL: `${slack.url}/api/`,
      SLACK_BOT_TOKEN: token,
      SLACK_SIGNING_SECRET: secret,
      KNACK_MODEL: "openai/mock",
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: model.openAiBaseUrl,
    },
  });
  bot = await home.start();
});
afterAll(async () => {
  await home.remove();
  await model.stop();
  await slack.close();
});

interface Message {
  ts: string;
  user: string;
  text: string;
  blocks?: { type: string; text?: string }[];
}

async function call<T>(method: string, given: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${slack.url}/api/${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(given),
  });
  return (await response.json()) as T;
}

function deliver(event: object, { signedWith = secret } = {}): Promise<Response> {
  const body = JSON.stringify({
    type: "event_callback",
    team_id: "T000000001",
    api_app_id: "A000000001",
    event_id: `Ev${Date.now()}`,
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [{ team_id: "T000000001", user_id: "U000000001", is_bot: true }],
    event,
  });
  const at = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", signedWith).update(`v0:${at}:${body}`).digest("hex");
  return fetch(`${bot.url}/slack/events`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-slack-request-timestamp": at,
      "x-slack-signature": `v0=${signature}`,
    },
    body,
  });
}

it("a signed mention is answered in its thread, without streams", async () => {
  const { channels } = await call<{ channels: { id: string }[] }>("conversations.list");
  const { members } = await call<{ members: { id: string; name: string }[] }>("users.list");
  const channel = channels[0]?.id ?? "";
  const ada = members.find(({ name }) => name === "ada")?.id ?? "";
  const { ts } = await call<{ ts: string }>("chat.postMessage", { channel, text: "a question" });
  const event = {
    type: "app_mention",
    user: ada,
    text: "<@U000000001> does it work?",
    ts,
    channel,
    event_ts: ts,
  };

  await expect.poll(async () => (await fetch(`${bot.url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
  const refused = await deliver(event, { signedWith: "another secret" });
  expect(refused.status).toBe(401);
  const taken = await deliver(event);
  expect(taken.status).toBe(200);

  const answers = await expect
    .poll(
      async () => {
        const { messages } = await call<{ messages: Message[] }>("conversations.replies", { channel, ts });
        return messages.filter((message) => message.ts !== ts);
      },
      { timeout: 20_000 },
    )
    .toHaveLength(1)
    .then(
      async () => (await call<{ messages: Message[] }>("conversations.replies", { channel, ts })).messages,
    );
  const [answer] = answers.filter((message) => message.ts !== ts);
  const markdown = answer?.blocks?.find(({ type }) => type === "markdown");
  expect(markdown?.text).toBe("**Yes**, it does:\n\n```js\n1 + 1;\n```");
});

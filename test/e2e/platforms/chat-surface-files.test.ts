import { afterEach, expect, test } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer } from "../../../src/server/server.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { type ChatSurface, untilSaid } from "../../support/surfaces/chat-surface.ts";
import { consoleChat } from "../../support/surfaces/console-chat.ts";
import { discordChat } from "../../support/surfaces/discord-chat.ts";
import { slackChat } from "../../support/surfaces/slack-chat.ts";
import { terminalChat } from "../../support/surfaces/terminal-chat.ts";
import { createTestApp } from "../../support/test-app.ts";
import { discordBot, fakeDiscord } from "../support/discord-bot.ts";
import { fakeSlack, slackBot } from "../support/slack-bot.ts";

const content = "name,length\nfemur,44 cm\nähnlich,✓\n";

const reporter = testSkill(
  "reporter",
  [
    {
      name: "report",
      async run(_input, context) {
        const data = new TextEncoder().encode(content);
        await context.file({ name: "bones.csv", media_type: "text/csv", data });
        return "written";
      },
    },
  ],
  { active: true },
);

const reports = () =>
  scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Here is the report." : [{ call: "report" }],
  );

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** An app that only its server makes reachable. */
async function startServer(): Promise<{ url: string; client: ReturnType<typeof createApiClient> }> {
  const { app, stop } = createTestApp(reports(), { skills: [reporter] });
  const server = createServer({
    app,
    assets: loadConsoleAssets(),
    security: { host: "127.0.0.1", port: 0 },
    version: "1",
    logger: { error: () => undefined },
  });
  opened.push({ close: () => stop(1_000) }, server);
  const { url } = await server.listen();
  return { url, client: createApiClient({ fetch, baseUrl: url }) };
}

const open = {
  async slack(): Promise<ChatSurface> {
    const slack = await fakeSlack();
    await slackBot(slack, reports(), { skills: [reporter] });
    return slackChat(slack);
  },
  async discord(): Promise<ChatSurface> {
    const discord = await fakeDiscord();
    await discordBot(discord, reports(), { skills: [reporter] });
    return discordChat(discord);
  },
  async console(): Promise<ChatSurface> {
    const server = await startServer();
    return consoleChat(() => server);
  },
  async terminal(): Promise<ChatSurface> {
    const server = await startServer();
    return terminalChat(() => server);
  },
};

test.each(["slack", "discord", "console", "terminal"] as const)(
  "a tool's file on %s can be fetched, once and whole",
  async (name) => {
    const surface = await open[name]();
    opened.push(surface);
    const conversation = await surface.open();
    await conversation.say("report on the bones");
    await untilSaid(conversation, "Here is the report.");

    const fetched = async () => (await conversation.files()).map(({ name, text }) => ({ name, text }));
    await expect.poll(fetched).toEqual([{ name: "bones.csv", text: content }]);
  },
);

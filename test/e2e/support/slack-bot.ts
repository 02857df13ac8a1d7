import { afterEach, expect } from "vitest";
import type { ChatPlatform } from "../../../src/core/ports/chat-platform.ts";
import type { Model } from "../../../src/core/ports/model.ts";
import type { Leases } from "../../../src/core/ports/storage.ts";
import type { SlackSettings } from "../../../src/platforms/slack/connection/slack-settings.ts";
import {
  createSlackConnection,
  type SlackConnection,
} from "../../../src/platforms/slack/create-slack-connection.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { keepFilm, slackShots } from "../../support/pictures/film.ts";
import type { Observation } from "../../support/slack/observation.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";
import type { SlackOptions } from "../../support/slack/slack-service.ts";
import { buttonsOf } from "../../support/surfaces/slack-chat.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../support/test-app.ts";

const running: { stop(): Promise<void> }[] = [];

/** Ends what a test started, the last first. */
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

export async function fakeSlack(options: SlackOptions = {}): Promise<SlackServer> {
  const slack = await startSlackServer({ retryDelaysMs: [0, 50, 50], ...options });
  const name = expect.getState().currentTestName ?? "";
  running.push({
    async stop() {
      await keepFilm(name, "slack", () => slackShots(slack));
      await slack.close();
    },
  });
  return slack;
}

export interface SlackBotOptions extends TestAppOptions {
  settings?: Partial<SlackSettings>;
  leases?: Leases;
  /** Whether it hears Slack's events; default true. */
  receives?: boolean;
  /** Is not waited for until the connection stands. */
  unconnected?: boolean;
}

export interface SlackBot {
  app: TestApp;
  connection: SlackConnection;
  platform: ChatPlatform;
  /** What was logged, with its level. */
  logged: { level: string; message: string; fields: object }[];
  stop(): Promise<void>;
}

/** The whole bot on a scripted model, connected to the fake Slack. */
export async function slackBot(
  slack: SlackServer,
  model: Model,
  { settings = {}, leases, receives = true, unconnected = !receives, ...options }: SlackBotOptions = {},
): Promise<SlackBot> {
  const store = options.store ?? createMemoryKeyValue();
  const app = createTestApp(model, { ...options, store });
  const logged: SlackBot["logged"] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, message, fields });
  const { seed } = slack;
  let connected: ChatPlatform | undefined;
  const connection = createSlackConnection({
    settings: {
      bot_token: seed.workspaces[0]?.bot_token,
      app_token: seed.app.app_token,
      api_url: slack.apiUrl,
      authorize_url: slack.authorizeUrl,
      streaming: "auto",
      direct_messages: "auto",
      operators: [],
      read_retries: 0,
      ...settings,
    },
    hub: {
      connect(platform) {
        connected = platform;
        return app.chat.connect(platform);
      },
    },
    app: app.app,
    store,
    sealed: store,
    leases: leases ?? createKeyValueLeases(store, "test"),
    clock: systemClock,
    logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= connection.stop().then(() => app.stop(1_000));
    return stopped;
  };
  running.push({ stop });
  connection.start({ receives });
  if (!unconnected) await slack.until((state) => state.all.connections > 0, "a connection");
  if (connected === undefined) throw new Error("The connection made itself known to nobody");
  return { app, connection, platform: connected, logged, stop };
}

/** The texts of the bot's finished answers in a thread, once there are `count` of them. */
export function answers(
  state: Observation,
  channel: string,
  threadTs: string,
  count: number,
): string[] | undefined {
  const finished = state
    .botMessages(channel, threadTs)
    .filter(({ stream, metadata, blocks }) => {
      const { purpose } = metadata?.event_payload ?? {};
      const isRunning = buttonsOf(blocks).some(({ label }) => label === "Stop");
      return stream?.state !== "in_progress" && purpose === "answer" && !isRunning;
    })
    .map(({ text, blocks }) => `${text}\n${blocks.map((block) => block.text ?? "").join("\n")}`);
  return finished.length >= count ? finished : undefined;
}

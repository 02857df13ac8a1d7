import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { DiscordOptions } from "../discord/discord-options.ts";
import { type DiscordServer, startDiscordServer } from "../discord/discord-server.ts";
import { exampleToken, exampleWorld } from "../discord/example-world.ts";
import { discordShots, keepFilm, slackShots } from "../pictures/film.ts";
import { type SlackServer, startSlackServer } from "../slack/slack-server.ts";
import type { SlackOptions } from "../slack/slack-service.ts";
import { defaultSeed, type SlackSeed } from "../slack/world/seed.ts";
import { type BotHome, type BotProcess, createBotHome } from "./bot-process.ts";
import { discordSurface, zoe } from "./platform-discord.ts";
import { startPlatformGate } from "./platform-gate.ts";
import { type PlatformModel, startPlatformModel } from "./platform-model.ts";
import { slackSurface } from "./platform-slack.ts";
import type { Surface } from "./platform-surface.ts";

/** The whole bot in a separate process on both fakes, with a model whose replies the test defines. */
export interface PlatformBot {
  home: BotHome;
  slack: SlackServer;
  discord: DiscordServer;
  model: PlatformModel;
  surfaces: Record<Surface["name"], Surface>;
  /** The bot that runs now. */
  bot(): BotProcess;
  /** Starts it, or another one after the last, and waits until it is on both platforms unless told otherwise. */
  start(options?: StartOptions): Promise<BotProcess>;
  /** Kills the bot that runs, and waits until the platforms know. */
  kill(): Promise<void>;
  /** Kills the bot that runs and starts another one. */
  crash(): Promise<BotProcess>;
}

interface StartOptions {
  env?: Record<string, string>;
  /** Resolves as soon as the bot is ready, connected or not. */
  unconnected?: boolean;
}

export interface PlatformBotOptions {
  /** YAML. */
  config?: string;
  env?: Record<string, string>;
  slack?: SlackOptions;
  /** Its own world, with one more ordinary person, unless given. */
  discord?: DiscordOptions;
  /** The model's replies and requests last for the whole file, not for one test. */
  keepsReplies?: boolean;
}

/** Sets up what the tests of a file share, without starting the bot, and takes it down after them. */
export function usePlatformBot(options: PlatformBotOptions = {}): () => PlatformBot {
  let opened: Awaited<ReturnType<typeof open>> | undefined;
  beforeAll(async () => {
    opened = await open(options);
  });
  if (options.keepsReplies !== true) beforeEach(() => opened?.fixture.model.reset());
  const drawn = new Set<string>();
  afterEach(async () => {
    for (const name of ["slack", "discord"] as const) opened?.fixture.surfaces[name].gate.cut(false);
    if (opened === undefined) return;
    const { slack, discord } = opened.fixture;
    const name = expect.getState().currentTestName ?? "";
    await keepFilm(name, "slack", () => slackShots(slack), drawn);
    await keepFilm(name, "discord", () => discordShots(discord), drawn);
  });
  afterAll(() => opened?.close());
  return () => {
    if (opened === undefined) throw new Error("The bot's surroundings are not there.");
    return opened.fixture;
  };
}

/** Both fakes with a gate before each. */
export interface Platforms {
  slack: SlackServer;
  discord: DiscordServer;
  surfaces: Record<Surface["name"], Surface>;
  /** The environment of a bot that is on both. */
  env: Record<string, string>;
  /** Waits until the bot is on both. */
  connected(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both fakes, in their own worlds with one more ordinary person unless given. */
export async function startPlatforms({
  slack: slackOptions = {},
  discord: world = discordWorld(),
}: Pick<PlatformBotOptions, "slack" | "discord"> = {}): Promise<Platforms> {
  const [slack, discord] = await Promise.all([
    startSlackServer({ retryDelaysMs: [0, 100, 100], seed: slackSeed(), ...slackOptions }),
    startDiscordServer(world),
  ]);
  const [slackGate, discordGate] = await Promise.all([
    startPlatformGate(slack.url),
    startPlatformGate(discord.apiUrl.replace(/\/api$/, "")),
  ]);
  const servers = [slack.close, discord.close.bind(discord), slackGate.stop, discordGate.stop];
  return {
    slack,
    discord,
    surfaces: { slack: slackSurface(slack, slackGate), discord: discordSurface(discord, discordGate) },
    env: {
      SLACK_BOT_TOKEN: slack.seed.workspaces[0]?.bot_token ?? "",
      SLACK_APP_TOKEN: slack.seed.app.app_token,
      SLACK_API_URL: `${slackGate.url}/api/`,
      DISCORD_TOKEN: exampleToken,
      DISCORD_API_URL: `${discordGate.url}/api`,
    },
    connected: () => connected({ slack, discord }),
    async stop() {
      await Promise.all(servers.map((end) => end()));
    },
  };
}

async function open({ config = "", env = {}, ...options }: PlatformBotOptions) {
  const [{ env: tokens, connected, stop, ...platforms }, model] = await Promise.all([
    startPlatforms(options),
    startPlatformModel(),
  ]);
  const home = await createBotHome({
    config,
    env: {
      ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url },
      KNACK_NET_ALLOW: "127.0.0.1",
      ...tokens,
      ...env,
    },
  });
  let running: BotProcess | undefined;
  const fixture: PlatformBot = {
    home,
    model,
    ...platforms,
    bot() {
      if (running === undefined) throw new Error("No bot was started.");
      return running;
    },
    async start({ unconnected = false, ...given } = {}) {
      running = await home.start(given);
      if (!unconnected) await connected();
      return running;
    },
    async kill() {
      await running?.kill();
      running = undefined;
      await disconnected(fixture);
    },
    async crash() {
      await fixture.kill();
      return fixture.start();
    },
  };
  const close = async () => {
    await home.remove();
    await Promise.all([stop(), model.stop()]);
  };
  return { fixture, close };
}

/** The fakes' own worlds with one more ordinary person in the general channels. */
function slackSeed(): Pick<SlackSeed, "users" | "channels"> {
  const { users, channels } = defaultSeed();
  const cleo = { real_name: "Cleo Clark", display_name: "cleo", tz: "Europe/Amsterdam" };
  return {
    users: [...users, { id: "U0CLEO", team_id: "T0ACME", name: "cleo", ...cleo }],
    channels: [
      ...channels.map((channel) =>
        channel.id === "C0GENERAL" ? { ...channel, members: [...channel.members, "U0CLEO"] } : channel,
      ),
      {
        id: "D0CLEO",
        team_id: "T0ACME",
        name: "",
        kind: "im",
        creator: "U0CLEO",
        members: ["U0CLEO", "U0KNACK"],
      },
    ],
  };
}

function discordWorld(): DiscordOptions {
  const { users, guilds, ...world } = exampleWorld();
  return {
    ...world,
    users: [...users, { id: zoe, name: "zoe" }],
    guilds: guilds.map((guild) => ({ ...guild, members: [...guild.members, { user: zoe }] })),
  };
}

async function connected({ slack, discord }: Pick<PlatformBot, "slack" | "discord">): Promise<void> {
  await slack.until((state) => state.all.connections > 0, "a connection to Slack", 30_000);
  await discord.until(({ sessions }) => sessions.some((session) => session.connected));
}

async function disconnected({ slack, discord }: PlatformBot): Promise<void> {
  await slack.until((state) => state.all.connections === 0, "the end of the connection to Slack", 30_000);
  await discord.until(({ sessions }) => !sessions.some((session) => session.connected));
}

import { afterEach, expect } from "vitest";
import type { ChatConnection } from "../../../src/app/chat/chat-hub.ts";
import type { ChatIntake } from "../../../src/app/chat/chat-intake.ts";
import type { TurnEvent, TurnEventOf } from "../../../src/core/log/turn-event.ts";
import type { ChatPlatform } from "../../../src/core/ports/chat-platform.ts";
import type { Model } from "../../../src/core/ports/model.ts";
import type { Leases } from "../../../src/core/ports/storage.ts";
import { scopeKeyValue } from "../../../src/core/ports/storage.ts";
import type { DiscordSettings } from "../../../src/platforms/discord/connection/discord-settings.ts";
import { createDiscordConnection } from "../../../src/platforms/discord/create-discord-connection.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import type { DiscordOptions } from "../../support/discord/discord-options.ts";
import { type DiscordServer, startDiscordServer } from "../../support/discord/discord-server.ts";
import { exampleToken, exampleWorld, ids } from "../../support/discord/example-world.ts";
import type { ObservedMessage, ObservedState } from "../../support/discord/observed-state.ts";
import { within } from "../../support/follow.ts";
import { discordShots, keepFilm } from "../../support/pictures/film.ts";
import { buttonsOf } from "../../support/surfaces/discord-chat.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../support/test-app.ts";

/** What can be pressed or picked in a message. */
export const buttons = buttonsOf;

const running: { stop(): Promise<void> }[] = [];

/** Ends what a test started, the last first. */
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

/** The example world, with these options changed. */
export async function fakeDiscord(change: Partial<DiscordOptions> = {}): Promise<DiscordServer> {
  const discord = await startDiscordServer({ ...exampleWorld(), ...change });
  const name = expect.getState().currentTestName ?? "";
  running.push({
    async stop() {
      await keepFilm(name, "discord", () => discordShots(discord));
      await discord.close();
    },
  });
  return discord;
}

export interface DiscordBotOptions extends TestAppOptions {
  settings?: Partial<DiscordSettings>;
  leases?: Leases;
  /** Whether it hears Discord's events; default true. */
  receives?: boolean;
  /** Is not waited for until the connection stands. */
  unconnected?: boolean;
  /** Takes what the platform hands in, in place of the bot. */
  hears?: Partial<ChatIntake>;
}

export interface DiscordBot {
  app: TestApp;
  connection: ChatConnection;
  platform: ChatPlatform;
  logged: { level: string; message: string; fields: object }[];
  stop(): Promise<void>;
}

/** The whole bot on a scripted model, connected to the fake Discord. */
export async function discordBot(
  discord: DiscordServer,
  model: Model,
  {
    settings = {},
    receives = true,
    unconnected = !receives,
    leases,
    hears,
    ...options
  }: DiscordBotOptions = {},
): Promise<DiscordBot> {
  const store = options.store ?? createMemoryKeyValue();
  const app = createTestApp(model, { ...options, store });
  const logged: DiscordBot["logged"] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, message, fields });
  let connected: ChatPlatform | undefined;
  const connection = createDiscordConnection({
    settings: { token: exampleToken, api_url: discord.apiUrl, shards: "auto", operators: [], ...settings },
    hub: {
      connect(platform) {
        connected = platform;
        return { ...app.chat.connect(platform), ...hears };
      },
    },
    app: app.app,
    store,
    sealed: scopeKeyValue(store, "sealed:"),
    clock: options.clock ?? systemClock,
    logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    leases: leases ?? createKeyValueLeases(store, "test"),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= connection.stop().then(() => app.stop(1_000));
    return stopped;
  };
  running.push({ stop });
  const already = (await discord.state()).sessions.length;
  connection.start({ receives });
  if (!unconnected) {
    await discord.until(({ sessions }) => sessions.slice(already).some(({ connected }) => connected));
    await discord.until(({ commands }) => commands.puts > 0);
  }
  if (connected === undefined) throw new Error("The connection made itself known to nobody");
  return { app, connection, platform: connected, logged, stop };
}

/** The bot's messages in a channel that everybody there sees, once there are so many with content. */
export function said(state: ObservedState, channel: string, count = 1): ObservedMessage[] | undefined {
  const found = state.messages.filter(
    (message) =>
      message.author === ids.bot &&
      message.channel === channel &&
      message.ephemeralFor === null &&
      (message.content !== "" || message.attachments.length > 0),
  );
  return found.length >= count ? found : undefined;
}

/** The next events of this kind in the channel `general`. @throws Error if they do not come */
export function next<T extends TurnEvent["type"]>(
  { app }: TestApp,
  type: T,
  count: number,
): Promise<TurnEventOf<T>[]> {
  return within(`${count} ${type} in the channel general`, async (signal) => {
    const events: TurnEventOf<T>[] = [];
    for await (const item of await app.watch(`discord:${ids.guild}:${ids.general}`, signal)) {
      if (item.kind === "event" && item.event.type === type) events.push(item.event as TurnEventOf<T>);
      if (events.length === count) break;
    }
    return events;
  });
}

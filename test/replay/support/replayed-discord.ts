import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import type { ChatHub } from "../../../src/app/chat/chat-hub.ts";
import type { ChatPlatform } from "../../../src/core/ports/chat-platform.ts";
import { scopeKeyValue } from "../../../src/core/ports/storage.ts";
import { createDiscordConnection } from "../../../src/platforms/discord/create-discord-connection.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { type ScriptedModel, scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../support/test-app.ts";
import { type DiscordCall, type RecordedGateway, startRecordedGateway } from "./recorded-gateway.ts";

export interface ReplayedDiscord {
  app: TestApp;
  model: ScriptedModel;
  /** Discord as the app sees it. */
  platform: ChatPlatform;
  /** Dispatches a recorded event as if it happened now; `{name}` in it is replaced. */
  dispatch(event: string, fixture: string, replaced?: Record<string, string>): void;
  /** The calls that change something, without the registration of commands; oldest first. */
  changes(): DiscordCall[];
  /** The calls that fit (`POST .../callback`), once there are so many. */
  until(fits: RegExp, count?: number): Promise<DiscordCall[]>;
}

/** First millisecond of Discord's ids. Source: Discord API reference, "Snowflakes". */
const epoch = 1_420_070_400_000n;
const freshId = () => String(((BigInt(Date.now()) - epoch) << 22n) + BigInt(randomInt(2 ** 22)));

const bot = { id: "1000000000000000001", username: "knack", discriminator: "0001", bot: true };

/** The whole app with Discord's real adapter and library on a gateway that replays. */
export async function replayedDiscord(
  lines: readonly string[] = ["Hello."],
  options: TestAppOptions = {},
): Promise<ReplayedDiscord> {
  const gateway = await startRecordedGateway(
    (url) => [
      ["READY", fixtureOf("ready", { gateway: url })],
      ["GUILD_CREATE", fixtureOf("guild-create")],
    ],
    answerTo,
  );
  const model = scriptedModel(lines);
  const store = createMemoryKeyValue();
  const app = createTestApp(model, { store, ...options });
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  let connected: ChatPlatform | undefined;
  const hub: ChatHub = {
    connect(platform) {
      connected = platform;
      return app.chat.connect(platform);
    },
  };
  const connection = createDiscordConnection({
    settings: { token: "recorded.token.of.the.bot", api_url: gateway.apiUrl, shards: "auto", operators: [] },
    sealed: scopeKeyValue(store, "sealed:"),
    ...{ hub, app: app.app, store, clock: systemClock, logger: quiet },
    leases: createKeyValueLeases(store, "test"),
  });
  onTestFinished(async () => {
    await connection.stop();
    await app.stop(1_000);
    await gateway.stop();
  });
  connection.start({ receives: true });
  if (connected === undefined) throw new Error("Discord made itself known to nobody");
  await untilThere(gateway, /^PUT \/applications\/\d+\/commands$/, 1);
  return {
    ...{ app, model, platform: connected },
    dispatch: (event, fixture, replaced) => gateway.dispatch(event, fixtureOf(fixture, replaced)),
    changes: () =>
      gateway.calls.filter(({ what }) => !what.startsWith("GET ") && !what.startsWith("PUT /applications")),
    until: (fits, count = 1) => untilThere(gateway, fits, count),
  };
}

async function untilThere({ calls }: RecordedGateway, fits: RegExp, count: number): Promise<DiscordCall[]> {
  const found = () => calls.filter(({ what }) => fits.test(what));
  await expect.poll(() => found().length, { timeout: 10_000, interval: 10 }).toBeGreaterThanOrEqual(count);
  return found();
}

function fixtureOf(name: string, replaced: Record<string, string> = {}): unknown {
  const text = readFileSync(new URL(`../../fixtures/discord/${name}.json`, import.meta.url), "utf8");
  const filled = Object.entries({ now: freshId(), ...replaced }).reduce(
    (whole, [key, value]) => whole.replaceAll(`{${key}}`, value),
    text.replace(/"2026-11-22T08:00:\d\d\.0+\+00:00"/g, JSON.stringify(new Date().toISOString())),
  );
  return JSON.parse(filled);
}

/** What Discord answers, as far as the bot reads it. */
function answerTo({ what, body }: DiscordCall): object | undefined {
  const [method, path = ""] = what.split(" ");
  const channel = /^\/channels\/(\d+)/.exec(path)?.[1] ?? "";
  if (method === "POST" && path.endsWith("/threads"))
    return { id: path.split("/")[4], type: 11, parent_id: channel, name: body.name, guild_id: guild };
  if (path === "/users/@me/channels") return { id: "1000000000000000300", type: 1 };
  if (method === "GET" && path.endsWith("/messages")) return [];
  if (method === "GET" && /^\/guilds\/\d+\/members\/\d+$/.test(path))
    return { user: { id: path.split("/")[4], username: "ada", discriminator: "0" }, roles: [] };
  if (method === "GET") return { id: channel, type: 0, guild_id: guild, name: "general" };
  const isMessage = /\/messages(\/\d+)?$|\/messages\/(@|%40)original$|^\/webhooks\/\d+\/[^/]+$/.test(path);
  if (method === "DELETE" || method === "PUT" || !isMessage) return undefined;
  return { id: freshId(), channel_id: channel, author: bot, content: body.content ?? "", components: [] };
}

const guild = "1000000000000000100";

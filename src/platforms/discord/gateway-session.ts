import type { EventEmitter } from "node:events";
import type { Client, GatewayDispatchPayload } from "discord.js";
import type { Log } from "../../app/log.ts";
import type { Clock } from "../../core/clock.ts";
import { DiscordProblem } from "./discord-problem.ts";
import type { DiscordRest } from "./discord-rest.ts";
import type { DiscordSettings } from "./discord-settings.ts";
import { openGatewayClient } from "./open-gateway-client.ts";
import { type ShardHolder, shardLease } from "./shard-holder.ts";

export interface GatewaySessionDeps {
  settings: DiscordSettings;
  rest: DiscordRest;
  shards: ShardHolder;
  clock: Clock;
  logger: Log;
  dispatch(payload: GatewayDispatchPayload): void;
  /** A shard has a new session: what was said before it began was not received. */
  fresh(applicationId: string): void;
}

/** The line to Discord's gateway, kept up until it is stopped. */
export interface GatewaySession {
  start(): void;
  stop(): Promise<void>;
  status(): { ok: boolean; detail: string };
  /** Whether every shard of this process is connected. */
  isConnected(): boolean;
  /** False once Discord refused the intent to read messages. */
  readsMessages(): boolean;
}

/** Why a client was given up. */
type Ending = "stopped" | "intents" | "token" | "shards" | "refused";

/** Source: Discord reference, "Gateway Close Event Codes". */
const endings: Readonly<Record<number, Ending>> = {
  4004: "token",
  4010: "refused",
  4011: "refused",
  4012: "refused",
  4013: "intents",
  4014: "intents",
};

export const noContentNote =
  "Discord does not let the bot read messages: it answers mentions, replies to it, direct messages and commands. Switch on “Message Content Intent” in the developer portal under Bot, then restart, for more";
const wrongToken =
  "Discord does not know the token: it is wrong or was reset. Copy a new one from the developer portal under Bot into DISCORD_TOKEN and restart";

export function createGatewaySession(deps: GatewaySessionDeps): GatewaySession {
  const { settings, rest, shards, clock, logger } = deps;
  const stopping = new AbortController();
  const ready = new Set<number>();
  let served = 0;
  let readsMessages = true;
  let detail = "not connected yet";
  let running: Promise<void> | undefined;

  const connectOnce = async (): Promise<Ending> => {
    const count = await shardCount(rest, settings, clock, stopping.signal);
    const ids = await shards.take(count);
    if (ids.length === 0) {
      detail = "another process of the bot serves Discord";
      await clock.sleep(shardLease / 2, stopping.signal);
      return "shards";
    }
    ready.clear();
    served = ids.length;
    const ended = Promise.withResolvers<Ending>();
    const onStop = () => ended.resolve("stopped");
    stopping.signal.addEventListener("abort", onStop);
    const client = await openGatewayClient({ settings, readsMessages, shards: ids, count });
    const cancelRenewal = keepShards(count, () => ended.resolve("shards"));
    try {
      follow(client, ended.resolve);
      const login = client.login(settings.token).then(() => ended.promise);
      return await Promise.race([ended.promise, login]);
    } finally {
      stopping.signal.removeEventListener("abort", onStop);
      cancelRenewal();
      ready.clear();
      await client.destroy();
    }
  };

  const follow = (client: Client, end: (ending: Ending) => void) => {
    const emitter: EventEmitter = client;
    emitter.on("raw", (payload: GatewayDispatchPayload) => {
      try {
        deps.dispatch(payload);
      } catch (error) {
        logger.error({ err: error, event: payload.t }, "Discord: an event could not be read");
      }
    });
    const connected = (id: number) => {
      ready.add(id);
      detail = `connected as ${client.user?.username ?? "the bot"}${readsMessages ? "" : `. ${noContentNote}`}`;
    };
    const disconnected = (id: number) => {
      ready.delete(id);
      detail = "the connection was lost; connecting again";
    };
    client.on("shardReady", (id) => {
      connected(id);
      deps.fresh(client.application?.id ?? client.user?.id ?? "");
    });
    client.on("shardResume", connected);
    client.on("shardReconnecting", disconnected);
    client.on("shardDisconnect", ({ code }, id) => {
      disconnected(id);
      const ending = endings[code];
      if (ending !== undefined) end(ending);
    });
    client.on("shardError", (error) => logger.warn({ err: error }, "Discord: the connection has a problem"));
    client.on("error", (error) => logger.warn({ err: error }, "Discord: the client has a problem"));
  };

  const keepShards = (count: number, changed: () => void): (() => void) => {
    let cancel = () => {};
    const next = () => {
      cancel = clock.after(shardLease / 3, () => {
        shards
          .refresh(count)
          .then((result) => (result.changed ? changed() : next()))
          .catch((error: unknown) => {
            logger.warn({ err: error }, "Discord: the shards of this process could not be kept");
            changed();
          });
      });
    };
    next();
    return () => cancel();
  };

  const settle = (ending: Ending): void => {
    if (ending === "intents" && readsMessages) {
      readsMessages = false;
      logger.warn({}, noContentNote);
    } else if (ending === "token") {
      detail = wrongToken;
      logger.error({}, wrongToken);
    } else if (ending !== "stopped" && ending !== "shards") {
      throw new DiscordProblem("unavailable", "Discord closed the connection and did not say why.");
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const ending = await connectOnce();
        settle(ending);
        if (ending === "token") return;
        failures = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (isWrongToken(error)) return settle("token");
        failures += 1;
        detail = `Discord cannot be reached, tried ${failures} times; it is tried again`;
        logger.warn({ err: error, failures }, "Discord: no connection");
        await clock.sleep(backoff(failures), stopping.signal).catch(() => undefined);
      }
    }
  };

  return {
    start() {
      running ??= run().catch((error: unknown) => {
        detail = "the connection was given up after an unexpected error; restart the bot";
        logger.error({ err: error }, "Discord: the connection was given up");
      });
    },
    async stop() {
      stopping.abort();
      await running;
      await shards.release();
      detail = "stopped";
    },
    status: () => ({ ok: ready.size > 0 && ready.size === served, detail }),
    isConnected: () => ready.size > 0 && ready.size === served,
    readsMessages: () => readsMessages,
  };
}

/** ms before the next try: 1 s, 2 s, 4 s … at most a minute, with up to a quarter more so that processes spread. */
function backoff(failures: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(failures - 1, 6)) * (1 + Math.random() / 4);
}

function isWrongToken(error: unknown): boolean {
  if (error instanceof DiscordProblem) return error.status === 401;
  return error instanceof Error && "code" in error && error.code === "TokenInvalid";
}

/** How many shards there are. Waits when Discord lets no more sessions begin today. */
async function shardCount(
  rest: DiscordRest,
  settings: DiscordSettings,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const answer = await rest.request<{
    shards: number;
    session_start_limit: { remaining: number; reset_after: number };
  }>("GET", "/gateway/bot", { signal });
  const { remaining, reset_after } = answer.session_start_limit;
  if (remaining === 0) await clock.sleep(reset_after, signal);
  return settings.shards === "auto" ? answer.shards : settings.shards;
}

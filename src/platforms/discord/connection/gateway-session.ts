import type { APIGatewayBotInfo, APIUser } from "discord.js";
import { backoff } from "../../../base/backoff.ts";
import { errorCode } from "../../../base/error-text.ts";
import { connectShards, type Ending, type ShardConnectionDeps } from "./connect-shards.ts";
import { DiscordProblem, type DiscordRest } from "./discord-rest.ts";
import type { HeardShards } from "./heard-shards.ts";
import type { IdentifyTurn } from "./identify-turns.ts";

export interface GatewaySessionDeps
  extends Omit<ShardConnectionDeps, "connected" | "disconnected" | "identifying"> {
  rest: DiscordRest;
  identify: IdentifyTurn;
}

/** The connection to Discord's gateway, kept open until it is stopped. */
export interface GatewaySession {
  /** A process that does not receive checks the token from time to time, and opens no connection. */
  start(options: { receives: boolean }): void;
  stop(): Promise<void>;
  status(): { ok: boolean; detail: string };
  /** The shards of this process, while all of them are connected. */
  heard(): HeardShards | undefined;
  /** False after Discord refused the intent to read messages. */
  readsMessages(): boolean;
}

/** Interval at which a process without shards looks for free ones, ms. */
const freeShardPoll = 2_000;
/** Number of such looks after which Discord is asked again for the number of shards. */
const maxLooks = 30;
/** Interval at which a process that only sends checks its token, ms. */
const tokenPoll = 60_000;

/** Delays between attempts to connect; up to a quarter is added at random, to spread processes. */
const retryWaits = { minMs: 1_000, maxMs: 60_000 };

const noContentNote =
  "Discord does not let the bot read messages: it answers mentions, replies to it, direct messages and commands. Switch on “Message Content Intent” in the developer portal under Bot, then restart, for more";
const wrongToken =
  "Discord does not know the token: it is wrong or was reset. Copy a new one from the developer portal under Bot into DISCORD_TOKEN and restart";

export function createGatewaySession(deps: GatewaySessionDeps): GatewaySession {
  const { rest, holder, clock, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const status = createSessionStatus();
  let readsMessages = true;
  let running: Promise<void> | undefined;
  const idle = async (why: string, ms: number): Promise<Ending> => {
    status.idle(why);
    await clock.sleep(ms, signal);
    return "shards";
  };

  const checkToken = async (): Promise<Ending> => {
    const { username } = await rest.request<APIUser>("GET", "/users/@me", { signal });
    return idle(`sends only, as ${username}; other processes of the bot receive`, tokenPoll);
  };
  const connectOnce = async (): Promise<Ending> => {
    const { count, concurrency } = await gatewayLimits(deps, signal);
    let ids = await holder.take(count);
    for (let looks = 0; ids.length === 0; looks += 1) {
      // The number of shards may have changed.
      if (looks === maxLooks) return "shards";
      await idle("stands by: another process of the bot serves Discord", freeShardPoll);
      ids = await holder.take(count);
    }
    status.serves({ ids, count });
    const shardDeps: ShardConnectionDeps = {
      ...deps,
      identifying: (shard, cancelled) => deps.identify(shard, concurrency, cancelled),
      connected: (id, name) =>
        status.connected(id, `connected as ${name}${readsMessages ? "" : `. ${noContentNote}`}`),
      disconnected: status.disconnected,
    };
    return connectShards(shardDeps, { ids, count, readsMessages }, signal).finally(status.ended);
  };
  const settle = (ending: Ending): void => {
    if (ending === "token") {
      status.failed(wrongToken);
      logger.error({}, wrongToken);
    } else if (ending === "intents" && readsMessages) {
      readsMessages = false;
      logger.warn({}, noContentNote);
    } else if (ending === "intents" || ending === "refused") {
      throw new DiscordProblem("unavailable", "Discord refuses the bot's connection.");
    }
  };
  /** False when a retry would be useless. */
  const tryOnce = async (receives: boolean): Promise<boolean> => {
    try {
      const ending = await (receives ? connectOnce() : checkToken());
      settle(ending);
      return ending !== "token";
    } catch (error) {
      if (signal.aborted || !isWrongToken(error)) throw error;
      settle("token");
      return false;
    }
  };
  const run = async (receives: boolean): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (!(await tryOnce(receives))) return;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        status.failed(`Discord cannot be reached after ${failures} attempts; retrying`);
        logger.warn({ err: error, failures }, "Discord: no connection");
        await clock
          .sleep(backoff(failures, { ...retryWaits, jitter: 1 + Math.random() / 4 }), signal)
          .catch(() => undefined);
      }
    }
  };

  return {
    start({ receives }) {
      running ??= run(receives).catch((error: unknown) => {
        status.failed("the connection ended after an unexpected error; restart the bot");
        logger.error({ err: error }, "Discord: the connection ended unexpectedly");
      });
    },
    async stop() {
      stopping.abort();
      await running;
      status.failed("stopped");
    },
    status: status.read,
    heard: status.heard,
    readsMessages: () => readsMessages,
  };
}

/** The state of the session, in words for a person. */
function createSessionStatus() {
  const ready = new Set<number>();
  let served: HeardShards | undefined;
  let isIdle = false;
  let detail = "not connected yet";
  const isReady = () => served !== undefined && ready.size === served.ids.length;
  return {
    /** There is nothing to receive, and all is well. */
    idle(why: string) {
      isIdle = true;
      detail = why;
    },
    serves(shards: HeardShards) {
      isIdle = false;
      served = shards;
    },
    connected(shard: number, said: string) {
      ready.add(shard);
      detail = said;
    },
    disconnected(shard: number) {
      ready.delete(shard);
      detail = "the connection was lost; connecting again";
    },
    /** All connections are closed. */
    ended() {
      ready.clear();
      served = undefined;
    },
    failed(why: string) {
      isIdle = false;
      detail = why;
    },
    heard: () => (isReady() ? served : undefined),
    read: () => ({ ok: isIdle || isReady(), detail }),
  };
}

function isWrongToken(error: unknown): boolean {
  if (error instanceof DiscordProblem) return error.status === 401;
  return errorCode(error) === "TokenInvalid";
}

/**
 * The number of shards, and how many of them may identify themselves at once. Waits when Discord allows no more new sessions today.
 * @throws DiscordProblem
 */
async function gatewayLimits(
  { rest, settings, clock }: GatewaySessionDeps,
  signal: AbortSignal,
): Promise<{ count: number; concurrency: number }> {
  const answer = await rest.request<APIGatewayBotInfo>("GET", "/gateway/bot", { signal });
  const { remaining, reset_after, max_concurrency } = answer.session_start_limit;
  if (remaining === 0) await clock.sleep(reset_after, signal);
  return {
    count: settings.shards === "auto" ? answer.shards : settings.shards,
    concurrency: max_concurrency,
  };
}

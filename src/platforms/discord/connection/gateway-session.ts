import { backoff } from "../../../base/backoff.ts";
import { errorCode } from "../../../base/error-text.ts";
import { connectShards, type Ending, type ShardConnectionDeps } from "./connect-shards.ts";
import { DiscordProblem, type DiscordRest } from "./discord-rest.ts";

export interface GatewaySessionDeps extends Omit<ShardConnectionDeps, "connected" | "disconnected"> {
  rest: DiscordRest;
}

/** The connection to Discord's gateway, kept open until it is stopped. */
export interface GatewaySession {
  start(): void;
  stop(): Promise<void>;
  status(): { ok: boolean; detail: string };
  /** False after Discord refused the intent to read messages. */
  readsMessages(): boolean;
}

/** Interval at which a process without shards looks for free ones, ms. */
const freeShardPoll = 2_000;

/** Delays between attempts to connect; up to a quarter is added at random, to spread processes. */
const retryWaits = { minMs: 1_000, maxMs: 60_000 };

const noContentNote =
  "Discord does not let the bot read messages: it answers mentions, replies to it, direct messages and commands. Switch on “Message Content Intent” in the developer portal under Bot, then restart, for more";
const wrongToken =
  "Discord does not know the token: it is wrong or was reset. Copy a new one from the developer portal under Bot into DISCORD_TOKEN and restart";

export function createGatewaySession(deps: GatewaySessionDeps): GatewaySession {
  const { holder, clock, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ready = new Set<number>();
  let served = 0;
  let readsMessages = true;
  let detail = "not connected yet";
  let running: Promise<void> | undefined;
  const shardDeps: ShardConnectionDeps = {
    ...deps,
    connected(id, botName) {
      ready.add(id);
      detail = `connected as ${botName}${readsMessages ? "" : `. ${noContentNote}`}`;
    },
    disconnected(id) {
      ready.delete(id);
      detail = "the connection was lost; connecting again";
    },
  };

  const connectOnce = async (): Promise<Ending> => {
    const count = await shardCount(deps, signal);
    const ids = await holder.take(count);
    served = ids.length;
    if (ids.length > 0) {
      return connectShards(shardDeps, { ids, count, readsMessages }, signal).finally(() => ready.clear());
    }
    detail = "another process of the bot serves Discord";
    await clock.sleep(freeShardPoll, signal);
    return "shards";
  };
  const settle = (ending: Ending): void => {
    if (ending === "token") {
      detail = wrongToken;
      logger.error({}, wrongToken);
    } else if (ending === "intents" && readsMessages) {
      readsMessages = false;
      logger.warn({}, noContentNote);
    } else if (ending === "intents" || ending === "refused") {
      throw new DiscordProblem("unavailable", "Discord refuses the bot's connection.");
    }
  };
  /** False when a retry would be useless. */
  const tryOnce = async (): Promise<boolean> => {
    try {
      const ending = await connectOnce();
      settle(ending);
      return ending !== "token";
    } catch (error) {
      if (signal.aborted || !isWrongToken(error)) throw error;
      settle("token");
      return false;
    }
  };
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (!(await tryOnce())) return;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        detail = `Discord cannot be reached after ${failures} attempts; retrying`;
        logger.warn({ err: error, failures }, "Discord: no connection");
        await clock
          .sleep(backoff(failures, { ...retryWaits, jitter: 1 + Math.random() / 4 }), signal)
          .catch(() => undefined);
      }
    }
  };

  return {
    start() {
      running ??= run().catch((error: unknown) => {
        detail = "the connection ended after an unexpected error; restart the bot";
        logger.error({ err: error }, "Discord: the connection ended unexpectedly");
      });
    },
    async stop() {
      stopping.abort();
      await running;
      await holder.release();
      detail = "stopped";
    },
    status: () => ({ ok: ready.size > 0 && ready.size === served, detail }),
    readsMessages: () => readsMessages,
  };
}

function isWrongToken(error: unknown): boolean {
  if (error instanceof DiscordProblem) return error.status === 401;
  return errorCode(error) === "TokenInvalid";
}

/** The number of shards. Waits when Discord allows no more new sessions today. @throws DiscordProblem */
async function shardCount(
  { rest, settings, clock }: GatewaySessionDeps,
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

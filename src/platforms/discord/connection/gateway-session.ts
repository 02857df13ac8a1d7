import type { APIGatewayBotInfo, APIUser } from "discord.js";
import { backoff } from "../../../base/backoff.ts";
import { errorCode } from "../../../base/error-text.ts";
import { connectShards, type Ending, type Gateway } from "./connect-shards.ts";
import { DiscordProblem, type DiscordRest } from "./discord-rest.ts";
import type { HeardShards } from "./heard-shards.ts";

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

/** The connection to Discord's gateway, kept open until it is stopped. */
export class GatewaySession {
  readonly #gateway: Gateway;
  readonly #rest: DiscordRest;
  readonly #stopping = new AbortController();
  readonly #status = new SessionStatus();
  #readsMessages = true;
  #running: Promise<void> | undefined;

  constructor(gateway: Gateway, rest: DiscordRest) {
    this.#gateway = gateway;
    this.#rest = rest;
  }

  /** A process that does not receive checks the token from time to time, and opens no connection. */
  start({ receives }: { receives: boolean }): void {
    this.#running ??= this.#run(receives).catch((error: unknown) => {
      this.#status.failed("the connection ended after an unexpected error; restart the bot");
      this.#gateway.logger.error({ err: error }, "Discord: the connection ended unexpectedly");
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#status.failed("stopped");
  }

  status(): { ok: boolean; detail: string } {
    return this.#status.read();
  }

  /** The shards of this process, while all of them are connected. */
  heard(): HeardShards | undefined {
    return this.#status.heard();
  }

  /** False after Discord refused the intent to read messages. */
  readsMessages(): boolean {
    return this.#readsMessages;
  }

  async #run(receives: boolean): Promise<void> {
    const { clock, logger } = this.#gateway;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (!(await this.#tryOnce(receives))) return;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        this.#status.failed(`Discord cannot be reached after ${failures} attempts; retrying`);
        logger.warn({ err: error, failures }, "Discord: no connection");
        const wait = backoff(failures, { ...retryWaits, jitter: 1 + Math.random() / 4 });
        await clock.sleep(wait, signal).catch(() => undefined);
      }
    }
  }

  /** False when a retry would be useless. */
  async #tryOnce(receives: boolean): Promise<boolean> {
    try {
      const ending = await (receives ? this.#connectOnce() : this.#checkToken());
      this.#settle(ending);
      return ending !== "token";
    } catch (error) {
      if (this.#stopping.signal.aborted || !isWrongToken(error)) throw error;
      this.#settle("token");
      return false;
    }
  }

  async #checkToken(): Promise<Ending> {
    const { signal } = this.#stopping;
    const { username } = await this.#rest.request<APIUser>("GET", "/users/@me", { signal });
    return this.#idle(`sends only, as ${username}; other processes of the bot receive`, tokenPoll);
  }

  async #connectOnce(): Promise<Ending> {
    const { holder } = this.#gateway;
    const { signal } = this.#stopping;
    const readsMessages = this.#readsMessages;
    const { count, concurrency } = await this.#limits();
    let ids = await holder.take(count);
    for (let looks = 0; ids.length === 0; looks += 1) {
      // The number of shards may have changed.
      if (looks === maxLooks) return "shards";
      await this.#idle("stands by: another process of the bot serves Discord", freeShardPoll);
      ids = await holder.take(count);
    }
    this.#status.serves({ ids, count }, readsMessages ? "" : `. ${noContentNote}`);
    const shards = { ids, count, concurrency, readsMessages };
    return connectShards(this.#gateway, shards, this.#status, signal).finally(() => this.#status.ended());
  }

  async #idle(why: string, ms: number): Promise<Ending> {
    this.#status.idle(why);
    await this.#gateway.clock.sleep(ms, this.#stopping.signal);
    return "shards";
  }

  #settle(ending: Ending): void {
    const { logger } = this.#gateway;
    if (ending === "token") {
      this.#status.failed(wrongToken);
      logger.error({}, wrongToken);
    } else if (ending === "intents" && this.#readsMessages) {
      this.#readsMessages = false;
      logger.warn({}, noContentNote);
    } else if (ending === "intents" || ending === "refused") {
      throw new DiscordProblem("unavailable", "Discord refuses the bot's connection.");
    }
  }

  /**
   * The number of shards, and how many of them may identify themselves at once. Waits when Discord allows no more new sessions today.
   * @throws DiscordProblem
   */
  async #limits(): Promise<{ count: number; concurrency: number }> {
    const { settings, clock } = this.#gateway;
    const { signal } = this.#stopping;
    const answer = await this.#rest.request<APIGatewayBotInfo>("GET", "/gateway/bot", { signal });
    const { remaining, reset_after, max_concurrency } = answer.session_start_limit;
    if (remaining === 0) await clock.sleep(reset_after, signal);
    return {
      count: settings.shards === "auto" ? answer.shards : settings.shards,
      concurrency: max_concurrency,
    };
  }
}

/** The state of the session, in words for a person. */
class SessionStatus {
  readonly #ready = new Set<number>();
  #served: HeardShards | undefined;
  #note = "";
  #isIdle = false;
  #detail = "not connected yet";

  /** There is nothing to receive, and all is well. */
  idle(why: string): void {
    this.#isIdle = true;
    this.#detail = why;
  }

  /** @param note follows the state while they are connected */
  serves(shards: HeardShards, note: string): void {
    this.#isIdle = false;
    this.#served = shards;
    this.#note = note;
  }

  connected(shard: number, botName: string): void {
    this.#ready.add(shard);
    this.#detail = `connected as ${botName}${this.#note}`;
  }

  disconnected(shard: number): void {
    this.#ready.delete(shard);
    this.#detail = "the connection was lost; connecting again";
  }

  /** All connections are closed. */
  ended(): void {
    this.#ready.clear();
    this.#served = undefined;
  }

  failed(why: string): void {
    this.#isIdle = false;
    this.#detail = why;
  }

  heard(): HeardShards | undefined {
    return this.#served !== undefined && this.#ready.size === this.#served.ids.length
      ? this.#served
      : undefined;
  }

  read(): { ok: boolean; detail: string } {
    return { ok: this.#isIdle || this.heard() !== undefined, detail: this.#detail };
  }
}

function isWrongToken(error: unknown): boolean {
  if (error instanceof DiscordProblem) return error.status === 401;
  return errorCode(error) === "TokenInvalid";
}

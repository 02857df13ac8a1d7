import type { EventEmitter } from "node:events";
import type { Client, GatewayDispatchPayload, IIdentifyThrottler } from "discord.js";
import { GatewayCloseCodes } from "discord-api-types/v10";
import type { ChatHost } from "../../../app/app.ts";
import type { DiscordSettings } from "./discord-settings.ts";
import type { HeardShards } from "./heard-shards.ts";
import type { IdentifyTurn } from "./identify-turns.ts";
import { type ShardHolder, shardLease } from "./shard-holder.ts";

/** Why a connection ended: it was stopped, Discord refused it, or this process now has other shards. */
export type Ending = "stopped" | "intents" | "token" | "shards" | "refused";

/** What the connections of this process to the gateway are made of. */
export interface Gateway extends Pick<ChatHost, "clock" | "logger"> {
  settings: DiscordSettings;
  holder: ShardHolder;
  identify: IdentifyTurn;
  dispatch(payload: GatewayDispatchPayload): void;
  /** A shard has a new session: messages from before it were not received. */
  fresh(applicationId: string): void;
}

/** The shards to connect. */
interface WantedShards extends HeardShards {
  /** How many of them may identify themselves at once. */
  concurrency: number;
  /** Whether to ask for the texts of messages that are not for the bot. */
  readsMessages: boolean;
}

/** Told which shards are connected. */
interface ShardStatus {
  connected(shard: number, botName: string): void;
  disconnected(shard: number): void;
}

/** After other codes the library reconnects. */
const endings: Readonly<Record<number, Ending>> = {
  [GatewayCloseCodes.AuthenticationFailed]: "token",
  [GatewayCloseCodes.InvalidShard]: "refused",
  [GatewayCloseCodes.ShardingRequired]: "refused",
  [GatewayCloseCodes.InvalidAPIVersion]: "refused",
  [GatewayCloseCodes.InvalidIntents]: "intents",
  [GatewayCloseCodes.DisallowedIntents]: "intents",
};

/**
 * Keeps the gateway connections of these shards open until something ends them. Interrupted connections are restored here.
 * @throws the reason when no connection could be opened at all
 */
export async function connectShards(
  gateway: Gateway,
  shards: WantedShards,
  status: ShardStatus,
  signal: AbortSignal,
): Promise<Ending> {
  const ended = Promise.withResolvers<Ending>();
  const onStop = () => ended.resolve("stopped");
  signal.addEventListener("abort", onStop);
  const client = await openGatewayClient(gateway, shards);
  const stopKeeping = keepShards(gateway, shards.count, () => ended.resolve("shards"));
  try {
    follow(gateway, client, status, ended.resolve);
    const login = client.login(gateway.settings.token).then(() => ended.promise);
    return await Promise.race([ended.promise, login]);
  } finally {
    signal.removeEventListener("abort", onStop);
    const emitter: EventEmitter = client;
    for (const event of listened) emitter.removeAllListeners(event);
    await destroyClient(client, (error) => {
      gateway.logger.warn({ err: error }, "Discord: a connection could not be closed");
    });
    await stopKeeping();
  }
}

/** Events that are ignored once the connection has ended; errors are still handled. */
const listened = ["raw", "shardReady", "shardResume", "shardReconnecting", "shardDisconnect"];

function follow(
  { holder, logger, dispatch, fresh }: Gateway,
  client: Client,
  status: ShardStatus,
  end: (ending: Ending) => void,
): void {
  // Raw events: the library types only the events it derives from them.
  const emitter: EventEmitter = client;
  emitter.on("raw", (payload: GatewayDispatchPayload) => {
    // Another process may have the shards, and fetches what is missed here.
    if (!holder.isHeld()) return end("shards");
    try {
      dispatch(payload);
    } catch (error) {
      logger.error({ err: error, event: payload.t }, "Discord: an event could not be read");
    }
  });
  const connected = (id: number) => status.connected(id, client.user?.username ?? "the bot");
  client.on("shardReady", (id) => {
    connected(id);
    fresh(client.application?.id ?? client.user?.id ?? "");
  });
  client.on("shardResume", connected);
  client.on("shardReconnecting", (id) => status.disconnected(id));
  client.on("shardDisconnect", ({ code }, id) => {
    status.disconnected(id);
    const ending = endings[code];
    if (ending !== undefined) end(ending);
  });
  client.on("shardError", (error) => logger.warn({ err: error }, "Discord: the connection has a problem"));
  client.on("error", (error) => logger.warn({ err: error }, "Discord: the client has a problem"));
}

/**
 * Renews the leases of the shards until the returned function is called, which resolves when no renewal is running any more.
 * Calls `over` when the process has other shards now, or when it may lose them soon. While the store cannot be reached, they
 * are kept as long as that is safe.
 */
function keepShards(
  { holder, clock, logger }: Gateway,
  count: number,
  over: () => void,
): () => Promise<void> {
  let renewing: Promise<void> = Promise.resolve();
  let cancel = () => {};
  const renew = async () => {
    try {
      if (await holder.refresh(count)) over();
    } catch (error) {
      logger.warn({ err: error }, "Discord: the shards of this process could not be renewed");
    }
  };
  const look = () => {
    cancel = clock.after(shardLease / 3, () => {
      if (!holder.isHeld()) return over();
      renewing = renewing.then(renew);
      look();
    });
  };
  look();
  return () => {
    cancel();
    return renewing;
  };
}

/** The internals of the library that are needed; undefined in a version that is built differently. */
interface ClientInternals {
  _ws?: { strategy?: { shards?: ReadonlyMap<number, Shard> } };
}
interface Shard {
  once(event: "hello", listener: () => void): unknown;
  destroy(options: { code: number }): Promise<void>;
}

/**
 * Ends a client and its connections. A shard that is waiting to reconnect (500 ms after an interruption) does not notice that
 * its client was destroyed, and still connects (@discordjs/ws 1.2.3, `WebSocketShard.destroy`): it is closed as soon as it
 * does. Remove the client's listeners first.
 */
async function destroyClient(client: Client, failed: (error: unknown) => void): Promise<void> {
  const internals = client.ws as unknown as ClientInternals;
  const shards = [...(internals._ws?.strategy?.shards?.values() ?? [])];
  await client.destroy();
  for (const shard of shards) {
    shard.once("hello", () => {
      shard.destroy({ code: 1_000 }).catch(failed);
    });
  }
}

/**
 * A discord.js client that holds the gateway connections. Only its raw events are used, not the library's caches and partial
 * objects; the caches that can be turned off are.
 */
async function openGatewayClient(
  { settings, identify }: Gateway,
  { ids, count, concurrency, readsMessages }: WantedShards,
): Promise<Client> {
  const { Client: DiscordClient, GatewayIntentBits: intents, Options } = await import("discord.js");
  const waitForIdentify: IIdentifyThrottler["waitForIdentify"] = (shard, cancelled) =>
    identify(shard, concurrency, cancelled);
  return new DiscordClient({
    intents: [
      intents.Guilds,
      intents.GuildMessages,
      intents.GuildMessageReactions,
      intents.DirectMessages,
      intents.DirectMessageReactions,
      ...(readsMessages ? [intents.MessageContent] : []),
    ],
    shards: [...ids],
    shardCount: count,
    ws: { buildIdentifyThrottler: () => ({ waitForIdentify }) },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      ReactionManager: 0,
      GuildBanManager: 0,
      GuildInviteManager: 0,
      PresenceManager: 0,
      ThreadMemberManager: 0,
      VoiceStateManager: 0,
    }),
    ...(settings.api_url && { rest: { api: settings.api_url } }),
  });
}

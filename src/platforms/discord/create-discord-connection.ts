import type { App } from "../../app/app.ts";
import type { ChatConnection, ChatHub } from "../../app/chat/chat-hub.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { type Clock, type KeyValue, type Leases, type Log, runAlone } from "../../core/ports/storage.ts";
import { isWithin } from "../../core/values/place.ts";
import { createConversationTargets } from "./channel/conversation-targets.ts";
import { createDirectory } from "./channel/directory.ts";
import { createReplyChains } from "./channel/reply-chains.ts";
import { createDiscordRest, type DiscordRest, unlessRefused } from "./connection/discord-rest.ts";
import type { DiscordSettings } from "./connection/discord-settings.ts";
import { createGatewaySession } from "./connection/gateway-session.ts";
import { type HeardShards, partsOf } from "./connection/heard-shards.ts";
import { createIdentifyTurns } from "./connection/identify-turns.ts";
import { createShardHolder } from "./connection/shard-holder.ts";
import { createGatewayEvents } from "./gateway-events.ts";
import { createCatchUp } from "./incoming/catch-up.ts";
import { receiveInteraction, takeUnanswered } from "./incoming/receive-interactions.ts";
import {
  type CommandDefinition,
  commandsHash,
  onlyForServers,
  slashCommands,
} from "./incoming/slash-commands.ts";
import { createDiscordPlatform } from "./outgoing/create-discord-platform.ts";
import { LiveInteractions } from "./outgoing/live-interactions.ts";
import { createSentMessages } from "./outgoing/sent-messages.ts";
import { sendSetupCard } from "./setup-card.ts";

export interface DiscordConnectionOptions {
  settings: DiscordSettings;
  hub: ChatHub;
  app: App;
  store: KeyValue;
  /** An encrypted store, for secrets. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
  leases: Leases;
  /** Whether no other process uses the store; false by default. */
  isAlone?: boolean;
}

/** The bot on Discord. Registers its platform at once, so that turns from before a restart are delivered; `start` connects. */
export function createDiscordConnection(options: DiscordConnectionOptions): ChatConnection {
  const { settings, hub, app, store, leases, clock, logger } = options;
  const rest = createDiscordRest({ token: settings.token, api: settings.api_url });
  const directory = createDirectory(rest, clock);
  const chains = createReplyChains(store, clock);
  const targets = createConversationTargets({ rest, directory, chains, clock, logger });
  const live = new LiveInteractions({ ...options, rest });
  const holder = createShardHolder(options);
  const queue = new KeyedMutex();
  const inOrder = (key: string, work: () => Promise<void>) => {
    queue.run(key, work).catch((error: unknown) => {
      logger.warn({ err: error }, "Discord: an event could not be processed");
    });
  };
  const sent = createSentMessages(store, clock);
  const shared = { rest, directory, targets, chains, sent, live, store, leases, clock, logger, app };
  const operators = new Set(settings.operators);
  const platform = createDiscordPlatform({ ...shared, api: settings.api_url, operators });
  const intake = hub.connect(platform);
  const commands = slashCommands(app.commands);
  const deps = { ...shared, intake, inOrder, commands };

  const stopping = new AbortController();
  const catchingUp = createCatchUp(deps, stopping.signal);
  const missed = createMissedWatch({
    clock,
    logger,
    heard: () => session.heard(),
    async catchUp(shards) {
      await takeUnanswered(deps, shards);
      await catchingUp.fetch(shards);
    },
    async seen(shards) {
      catchingUp.caughtUp();
      await intake.seen("discord", partsOf(shards));
    },
  });
  const dispatch = createGatewayEvents({
    ...deps,
    intake: catchingUp.live,
    signal: stopping.signal,
    interaction: (interaction) => receiveInteraction(deps, interaction),
    guildJoined: (guild) =>
      sendSetupCard({ ...deps, bot: app, readsMessages: () => session.readsMessages() }, guild),
    async guildLeft(guild) {
      for (const namespace of await app.namespaces("discord"))
        if (isWithin(namespace, "discord", guild)) await intake.left(namespace);
    },
    fresh: catchingUp.missing,
    lost() {
      catchingUp.missing();
      missed.lookBack();
    },
  });
  const session = createGatewaySession({
    settings,
    rest,
    holder,
    identify: createIdentifyTurns(leases, clock),
    clock,
    logger,
    dispatch,
    fresh(applicationId) {
      missed.lookBack();
      inOrder("commands", () => deployCommands(deps, applicationId));
    },
  });

  return {
    id: "discord",
    start(options) {
      session.start(options);
      missed.start();
    },
    async stop() {
      stopping.abort();
      await session.stop();
      await missed.stop();
      await queue.settled();
      // Another process takes the shards over, and what is not stored by now.
      await holder.release();
      rest.stop();
    },
    status: session.status,
  };
}

type DeployDeps = Pick<DiscordConnectionOptions, "store" | "leases" | "logger"> & {
  rest: DiscordRest;
  commands: readonly CommandDefinition[];
};

/**
 * Registers the slash commands with Discord, for all servers, if they have changed: registering counts against a daily limit. A
 * failure is logged, and the commands registered before stay.
 */
async function deployCommands(
  { commands, rest, store, leases, logger }: DeployDeps,
  applicationId: string,
): Promise<void> {
  const register = async () => {
    const key = `discord-commands:${applicationId}`;
    if ((await store.get(key)) === commandsHash(commands)) return;
    const put = (body: CommandDefinition[]) =>
      rest.request("PUT", `/applications/${applicationId}/commands`, { body });
    const taken = await unlessRefused(put([...commands]), ({ code }) => code === "invalid");
    const registered = taken === undefined ? onlyForServers(commands) : commands;
    if (taken === undefined) await put([...registered]);
    await store.set(key, commandsHash(registered));
    logger.info({ commands: commands.length }, "Discord: the slash commands were registered");
  };
  try {
    await runAlone(leases, "discord-commands", registerMs, register);
  } catch (error) {
    logger.warn({ err: error }, "Discord: the slash commands could not be registered; the old ones stay");
  }
}

/** Time within which another process does not register the commands, ms. */
const registerMs = 60_000;

interface MissedWatchDeps {
  clock: Clock;
  logger: Log;
  /** The shards whose events arrive; undefined while one is not connected. */
  heard(): HeardShards | undefined;
  catchUp(shards: HeardShards): Promise<void>;
  seen(shards: HeardShards): Promise<void>;
}

/** Tracks up to when everything was received, and has missed messages fetched. */
interface MissedWatch {
  start(): void;
  /** Something was missed: fetches it soon, and retries after a failure. */
  lookBack(): void;
  stop(): Promise<void>;
}

/** Interval at which it is recorded that everything was received, ms. */
const interval = 60_000;
/** Delay before missed messages are fetched, ms. Shards become ready one after the other, and one fetch serves them all. */
const pause = 50;
/** Delay before a failed fetch is retried, ms. */
const retry = 10_000;

function createMissedWatch(deps: MissedWatchDeps): MissedWatch {
  const { clock, logger } = deps;
  let isMissing = false;
  let isStopped = false;
  let cancel = () => {};
  let working: Promise<void> = Promise.resolve();

  const check = async (): Promise<number> => {
    const shards = deps.heard();
    if (shards === undefined) return interval;
    try {
      if (isMissing) {
        isMissing = false;
        await deps.catchUp(shards);
      }
      if (!isMissing && deps.heard() === shards) await deps.seen(shards);
      return interval;
    } catch (error) {
      isMissing = true;
      logger.warn({ err: error }, "Discord: missed messages could not be fetched; retrying");
      return retry;
    }
  };
  const schedule = (ms: number) => {
    cancel();
    if (isStopped) return;
    cancel = clock.after(ms, () => {
      working = working.then(check).then(schedule);
    });
  };
  return {
    start: () => schedule(interval),
    lookBack() {
      isMissing = true;
      schedule(pause);
    },
    async stop() {
      isStopped = true;
      cancel();
      await working;
    },
  };
}

import type { App } from "../../../app/app.ts";
import type { ChatConnection, ChatHub } from "../../../app/chat/chat-hub.ts";
import type { Leases } from "../../../app/turns/leases.ts";
import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import { isWithin } from "../../../core/values/place.ts";
import { createConversationTargets } from "../channel/conversation-targets.ts";
import { createDirectory } from "../channel/directory.ts";
import { createReplyChains } from "../channel/reply-chains.ts";
import { catchUp } from "../incoming/catch-up.ts";
import { receiveInteraction, takeUnanswered } from "../incoming/receive-interactions.ts";
import { createDiscordPlatform } from "../outgoing/create-discord-platform.ts";
import { createLiveInteractions } from "../outgoing/live-interactions.ts";
import { createSentMessages } from "../outgoing/sent-messages.ts";
import { deployCommands } from "./deploy-commands.ts";
import { createDiscordRest } from "./discord-rest.ts";
import type { DiscordSettings } from "./discord-settings.ts";
import { createGatewayEvents } from "./gateway-events.ts";
import { createGatewaySession } from "./gateway-session.ts";
import { createMissedWatch } from "./missed-watch.ts";
import { sendSetupCard } from "./setup-card.ts";
import { createShardHolder } from "./shard-holder.ts";

export interface DiscordConnectionOptions {
  settings: DiscordSettings;
  hub: ChatHub;
  app: App;
  store: KeyValue;
  /** For secrets: it encrypts what it keeps. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
  /** Given where several processes share the store: then they share the shards too. */
  leases?: Leases | undefined;
}

/** The bot on Discord. Registers its platform at once, so that turns of before are delivered; connects with `start`. */
export function createDiscordConnection(options: DiscordConnectionOptions): ChatConnection {
  const { settings, hub, app, store, sealed, clock, logger } = options;
  const rest = createDiscordRest({ token: settings.token, api: settings.api_url });
  const directory = createDirectory(rest);
  const chains = createReplyChains(store, clock);
  const targets = createConversationTargets({ rest, directory, chains, logger });
  const live = createLiveInteractions({ rest, sealed, clock, logger });
  const queue = new KeyedMutex();
  const inOrder = (key: string, work: () => Promise<void>) => {
    queue.run(key, work).catch((error: unknown) => {
      logger.warn({ err: error }, "Discord: an event could not be taken in");
    });
  };
  const sent = createSentMessages(store, clock);
  const shared = { rest, directory, targets, chains, sent, live, store, clock, logger, app };
  const operators = new Set(settings.operators);
  const platform = createDiscordPlatform({ ...shared, api: settings.api_url, operators });
  const intake = hub.connect(platform);
  const deps = { ...shared, intake, inOrder };

  const missed = createMissedWatch({
    clock,
    logger,
    isConnected: () => session.status().ok,
    catchUp: () => catchUp(deps),
    seen: () => intake.seen("discord"),
  });
  const stopping = new AbortController();
  const dispatch = createGatewayEvents({
    ...deps,
    signal: stopping.signal,
    interaction: (interaction) => receiveInteraction(deps, interaction),
    guildJoined: (guild) =>
      sendSetupCard({ ...deps, bot: app, readsMessages: () => session.readsMessages() }, guild),
    async guildLeft(guild) {
      for (const namespace of await app.namespaces("discord"))
        if (isWithin(namespace, "discord", guild)) await intake.left(namespace);
    },
    lost: missed.lookBack,
  });
  const session = createGatewaySession({
    settings,
    rest,
    holder: createShardHolder(options.leases),
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
    start() {
      session.start();
      missed.start();
      inOrder("commands of before", () => takeUnanswered(deps));
    },
    async stop() {
      stopping.abort();
      await session.stop();
      await missed.stop();
      await queue.settled();
      live.stop();
      rest.stop();
    },
    status: session.status,
  };
}

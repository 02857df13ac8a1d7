import type { ChatHost } from "../../app/app.ts";
import type { ChatConnection } from "../../app/chat/chat-hub.ts";
import { MissedWatch } from "../../app/chat/intake/missed-watch.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { runAlone } from "../../core/ports/storage.ts";
import { isWithin } from "../../core/values/place.ts";
import { ConversationTargets } from "./channel/conversation-targets.ts";
import { Directory } from "./channel/directory.ts";
import { ReplyChains } from "./channel/reply-chains.ts";
import { DiscordRest, unlessRefused } from "./connection/discord-rest.ts";
import type { DiscordSettings } from "./connection/discord-settings.ts";
import { GatewaySession } from "./connection/gateway-session.ts";
import { partsOf } from "./connection/heard-shards.ts";
import { createIdentifyTurns } from "./connection/identify-turns.ts";
import { ShardHolder } from "./connection/shard-holder.ts";
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
import { sendSetupCard } from "./setup-card.ts";

/** Delay before missed messages are fetched, ms. Shards become ready one after the other, and one fetch serves them all. */
const pauseMs = 50;

/** The bot on Discord. Registers its platform at once, so that turns from before a restart are delivered; `start` connects. */
export function createDiscordConnection(options: ChatHost & { settings: DiscordSettings }): ChatConnection {
  const { settings, hub, app, store, sealed, leases, clock, logger, isAlone = false } = options;
  const rest = new DiscordRest(settings);
  const directory = new Directory(rest, clock);
  const chains = new ReplyChains(store, clock);
  const targets = new ConversationTargets(rest, directory, chains, clock, logger);
  const context = { rest, directory, chains, targets };
  const live = new LiveInteractions(rest, sealed, clock, logger);
  const holder = new ShardHolder(store, leases, clock, isAlone);
  const queue = new KeyedMutex();
  const inOrder = (key: string, work: () => Promise<void>) => {
    queue.run(key, work).catch((error: unknown) => {
      logger.warn({ err: error }, "Discord: an event could not be processed");
    });
  };
  const intake = hub.connect(createDiscordPlatform(context, live, store, clock, logger, settings));
  const commands = slashCommands(app.commands);
  const interactions = { ...context, app, clock, logger, commands, intake, live };

  const stopping = new AbortController();
  const { signal } = stopping;
  const catchingUp = createCatchUp(context, intake, clock, logger, signal);
  let isMissing = false;
  const watch = new MissedWatch("Discord", clock, logger, async () => {
    const shards = session.heard();
    if (shards === undefined) return;
    if (isMissing) {
      isMissing = false;
      try {
        await takeUnanswered(interactions, shards);
        await catchingUp.fetch(shards);
      } catch (error) {
        isMissing = true;
        throw error;
      }
    }
    if (isMissing || session.heard() !== shards) return;
    catchingUp.caughtUp();
    await intake.seen("discord", partsOf(shards));
  });
  const lookBack = () => {
    isMissing = true;
    watch.begin(signal, pauseMs);
  };
  const dispatch = createGatewayEvents({
    ...{ ...context, intake: catchingUp.live, clock, logger, inOrder, signal },
    interaction: (interaction) => receiveInteraction(interactions, interaction),
    guildJoined: (guild) => sendSetupCard(context, options, session.readsMessages(), guild),
    async guildLeft(guild) {
      for (const namespace of await app.namespaces("discord"))
        if (isWithin(namespace, "discord", guild)) await intake.left(namespace);
    },
    fresh: catchingUp.missing,
    lost() {
      catchingUp.missing();
      lookBack();
    },
  });
  const fresh = (applicationId: string) => {
    lookBack();
    inOrder("commands", () => deployCommands(options, rest, commands, applicationId));
  };
  const identify = createIdentifyTurns(leases, clock);
  const session = new GatewaySession({ settings, holder, identify, clock, logger, dispatch, fresh }, rest);

  return {
    id: "discord",
    start(options) {
      session.start(options);
      watch.begin(signal);
    },
    async stop() {
      stopping.abort();
      await session.stop();
      await watch.settled();
      await queue.settled();
      // Another process takes the shards over, and what is not stored by now.
      await holder.release();
      rest.stop();
    },
    status: () => session.status(),
  };
}

/**
 * Registers the slash commands with Discord, for all servers, if they have changed: registering counts against a daily limit. A
 * failure is logged, and the commands registered before stay.
 */
async function deployCommands(
  { store, leases, logger }: ChatHost,
  rest: DiscordRest,
  commands: readonly CommandDefinition[],
  applicationId: string,
): Promise<void> {
  const register = async () => {
    const key = `discord-commands:${applicationId}`;
    if ((await store.get(key)) === commandsHash(commands)) return;
    const put = (body: CommandDefinition[]) =>
      rest.request("PUT", `/applications/${applicationId}/commands`, { body });
    const taken = await unlessRefused(put([...commands]), "invalid");
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

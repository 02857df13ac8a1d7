import type {
  GatewayDispatchPayload,
  GatewayGuildCreateDispatchData,
  GatewayReadyDispatchData,
} from "discord.js";
import type { ChatIntake } from "../../app/chat/chat-intake.ts";
import type { Clock, Log } from "../../core/ports/storage.ts";
import type { ConversationTargets } from "./channel/conversation-targets.ts";
import type { Directory } from "./channel/directory.ts";
import type { DiscordContext } from "./channel/discord-context.ts";
import type { RawInteraction } from "./incoming/raw-interaction.ts";
import {
  receiveEdit,
  receiveMessage,
  receiveReaction,
  receiveRemovals,
} from "./incoming/receive-messages.ts";

/** Handles what the gateway's events say. */
export interface GatewayListener extends DiscordContext {
  intake: ChatIntake;
  clock: Clock;
  logger: Log;
  /** Runs the work after all earlier work with the same key. */
  inOrder(key: string, work: () => Promise<void>): void;
  /** Ends the wait before a retry. */
  signal: AbortSignal;
  interaction(interaction: RawInteraction): Promise<void>;
  /** The bot was added to a server while it was connected. */
  guildJoined(guildId: string): Promise<void>;
  guildLeft(guildId: string): Promise<void>;
  /** A shard has a new session: messages from before it were not received. The first event of the session. */
  fresh(): void;
  /** An event could not be stored; it is lost unless it is fetched later. */
  lost(): void;
}

/** Delays between attempts to store an event, ms. */
const retries = [500, 2_000, 8_000];

/** Handles the gateway's events: updates the directory at once, and hands messages in, in order within each channel. */
export function createGatewayEvents(listener: GatewayListener): (payload: GatewayDispatchPayload) => void {
  const { intake } = listener;
  const known = new Set<string>();
  const take = (channel: string, what: string, work: () => Promise<void>) => {
    listener.inOrder(channel, () => untilStored(listener, what, work));
  };
  return (payload) => {
    note(listener, payload);
    switch (payload.t) {
      case "READY":
        listener.fresh();
        for (const guild of (payload.d as GatewayReadyDispatchData).guilds) known.add(guild.id);
        break;
      case "GUILD_CREATE": {
        const { id, unavailable } = payload.d as GatewayGuildCreateDispatchData;
        const isNew = !known.has(id) && unavailable !== true;
        known.add(id);
        if (isNew) take(id, "a new server", () => listener.guildJoined(id));
        break;
      }
      case "GUILD_DELETE":
        if (payload.d.unavailable === true) break;
        known.delete(payload.d.id);
        take(payload.d.id, "a server left", () => listener.guildLeft(payload.d.id));
        break;
      case "MESSAGE_CREATE":
        take(payload.d.channel_id, "a message", () => receiveMessage(listener, intake, payload.d));
        break;
      case "MESSAGE_UPDATE":
        take(payload.d.channel_id, "an edit", () => receiveEdit(listener, intake, payload.d));
        break;
      case "MESSAGE_DELETE":
        take(payload.d.channel_id, "a deletion", () =>
          receiveRemovals(listener, intake, { ...payload.d, ids: [payload.d.id] }),
        );
        break;
      case "MESSAGE_DELETE_BULK":
        take(payload.d.channel_id, "deletions", () => receiveRemovals(listener, intake, payload.d));
        break;
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE": {
        const when = { added: payload.t === "MESSAGE_REACTION_ADD", at: listener.clock.now() };
        take(payload.d.channel_id, "a reaction", () => receiveReaction(listener, intake, payload.d, when));
        break;
      }
      case "INTERACTION_CREATE":
        // Not queued by channel: it must be answered within three seconds.
        listener.inOrder(payload.d.id, () => listener.interaction(payload.d as RawInteraction));
        break;
      default:
        break;
    }
  };
}

/** The gateway delivers once, so an event that cannot be stored is retried, and finally reported as lost. */
async function untilStored(
  { clock, logger, lost, signal }: GatewayListener,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  for (const wait of [...retries, undefined]) {
    try {
      return await work();
    } catch (error) {
      logger.warn({ err: error }, `Discord: ${what} could not be processed`);
      if (wait === undefined || signal.aborted) break;
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }
  lost();
}

function note({ directory, targets }: DiscordContext, payload: GatewayDispatchPayload): void {
  switch (payload.t) {
    case "READY":
      directory.noteSelf(payload.d.user);
      break;
    case "GUILD_CREATE":
      if (payload.d.unavailable !== true) noteGuild(directory, targets, payload.d);
      break;
    case "GUILD_UPDATE":
      directory.noteGuild(payload.d);
      break;
    case "GUILD_DELETE":
      if (payload.d.unavailable !== true) directory.forgetGuild(payload.d.id);
      break;
    case "GUILD_ROLE_CREATE":
    case "GUILD_ROLE_UPDATE":
      directory.noteRole(payload.d.guild_id, payload.d.role);
      break;
    case "GUILD_ROLE_DELETE":
      directory.forgetRole(payload.d.guild_id, payload.d.role_id);
      break;
    case "GUILD_MEMBER_UPDATE":
    case "GUILD_MEMBER_REMOVE":
      directory.forgetMember(payload.d.guild_id, payload.d.user.id);
      break;
    case "CHANNEL_CREATE":
    case "CHANNEL_UPDATE":
    case "THREAD_UPDATE":
      directory.noteChannel(payload.d);
      break;
    case "THREAD_CREATE":
      directory.noteChannel(payload.d);
      targets.noteThread(payload.d.id);
      break;
    case "CHANNEL_DELETE":
    case "THREAD_DELETE":
      directory.forgetChannel(payload.d.id);
      targets.forgetThread(payload.d.id);
      break;
    default:
      break;
  }
}

function noteGuild(
  directory: Directory,
  targets: ConversationTargets,
  guild: GatewayGuildCreateDispatchData,
): void {
  directory.noteGuild(guild);
  for (const channel of guild.channels) directory.noteChannel(channel, guild.id);
  for (const thread of guild.threads) {
    directory.noteChannel(thread, guild.id);
    targets.noteThread(thread.id);
  }
  for (const member of guild.members) directory.noteMember(guild.id, member.user, member);
}

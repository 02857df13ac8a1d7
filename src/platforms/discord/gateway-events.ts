import type {
  GatewayDispatchPayload,
  GatewayGuildCreateDispatchData,
  GatewayReadyDispatchData,
} from "discord.js";
import type { Clock, Log } from "../../core/ports/storage.ts";
import type { ConversationTargets } from "./channel/conversation-targets.ts";
import type { Directory } from "./channel/directory.ts";
import type { RawInteraction } from "./incoming/raw-interaction.ts";
import {
  type ReceiveDeps,
  receiveEdit,
  receiveMessage,
  receiveReaction,
  receiveRemovals,
} from "./incoming/receive-messages.ts";

export interface GatewayEventDeps extends ReceiveDeps {
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
export function createGatewayEvents(deps: GatewayEventDeps): (payload: GatewayDispatchPayload) => void {
  const known = new Set<string>();
  const take = (channel: string, what: string, work: () => Promise<void>) => {
    deps.inOrder(channel, () => untilStored(deps, what, work));
  };
  return (payload) => {
    note(deps.directory, deps.targets, payload);
    switch (payload.t) {
      case "READY":
        deps.fresh();
        for (const guild of (payload.d as GatewayReadyDispatchData).guilds) known.add(guild.id);
        break;
      case "GUILD_CREATE": {
        const { id, unavailable } = payload.d as GatewayGuildCreateDispatchData;
        const isNew = !known.has(id) && unavailable !== true;
        known.add(id);
        if (isNew) take(id, "a new server", () => deps.guildJoined(id));
        break;
      }
      case "GUILD_DELETE":
        if (payload.d.unavailable === true) break;
        known.delete(payload.d.id);
        take(payload.d.id, "a server left", () => deps.guildLeft(payload.d.id));
        break;
      case "MESSAGE_CREATE":
        take(payload.d.channel_id, "a message", () => receiveMessage(deps, payload.d));
        break;
      case "MESSAGE_UPDATE":
        take(payload.d.channel_id, "an edit", () => receiveEdit(deps, payload.d));
        break;
      case "MESSAGE_DELETE":
        take(payload.d.channel_id, "a deletion", () =>
          receiveRemovals(deps, { ...payload.d, ids: [payload.d.id] }),
        );
        break;
      case "MESSAGE_DELETE_BULK":
        take(payload.d.channel_id, "deletions", () => receiveRemovals(deps, payload.d));
        break;
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE": {
        const when = { added: payload.t === "MESSAGE_REACTION_ADD", at: deps.clock.now() };
        take(payload.d.channel_id, "a reaction", () => receiveReaction(deps, payload.d, when));
        break;
      }
      case "INTERACTION_CREATE":
        // Not queued by channel: it must be answered within three seconds.
        deps.inOrder(payload.d.id, () => deps.interaction(payload.d as RawInteraction));
        break;
      default:
        break;
    }
  };
}

/** The gateway delivers once, so an event that cannot be stored is retried, and finally reported as lost. */
async function untilStored(
  { clock, logger, lost, signal }: GatewayEventDeps,
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

function note({ see }: Directory, targets: ConversationTargets, payload: GatewayDispatchPayload): void {
  switch (payload.t) {
    case "READY":
      see.self(payload.d.user);
      break;
    case "GUILD_CREATE":
      if (payload.d.unavailable !== true) noteGuild(see, targets, payload.d);
      break;
    case "GUILD_UPDATE":
      see.guild(payload.d);
      break;
    case "GUILD_DELETE":
      if (payload.d.unavailable !== true) see.removeGuild(payload.d.id);
      break;
    case "GUILD_ROLE_CREATE":
    case "GUILD_ROLE_UPDATE":
      see.role(payload.d.guild_id, payload.d.role);
      break;
    case "GUILD_ROLE_DELETE":
      see.removeRole(payload.d.guild_id, payload.d.role_id);
      break;
    case "GUILD_MEMBER_UPDATE":
    case "GUILD_MEMBER_REMOVE":
      see.removeMember(payload.d.guild_id, payload.d.user.id);
      break;
    case "CHANNEL_CREATE":
    case "CHANNEL_UPDATE":
    case "THREAD_UPDATE":
      see.channel(payload.d);
      break;
    case "THREAD_CREATE":
      see.channel(payload.d);
      targets.noteThread(payload.d.id);
      break;
    case "CHANNEL_DELETE":
    case "THREAD_DELETE":
      see.removeChannel(payload.d.id);
      targets.forgetThread(payload.d.id);
      break;
    default:
      break;
  }
}

function noteGuild(
  see: Directory["see"],
  targets: ConversationTargets,
  guild: GatewayGuildCreateDispatchData,
): void {
  see.guild(guild);
  for (const channel of guild.channels) see.channel(channel, guild.id);
  for (const thread of guild.threads) {
    see.channel(thread, guild.id);
    targets.noteThread(thread.id);
  }
  for (const member of guild.members) see.member(guild.id, member.user, member);
}

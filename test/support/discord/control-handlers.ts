import { refusals } from "./api/api-error.ts";
import type { Faults } from "./api/faults.ts";
import { fullMember, memberOf, wireChannel, wireGuild } from "./api/wire.ts";
import type { ControlActions, ControlInput, ControlOutput } from "./control-protocol.ts";
import type { CommandStore } from "./world/command-store.ts";
import type { Gateway } from "./world/gateway.ts";
import { autocomplete, click, contextMenu, submitModal, useCommand } from "./world/interact.ts";
import type { Interactions } from "./world/interactions.ts";
import { channelOf, createForumPost, edit, react, remove, say, startThread, unfurl } from "./world/people.ts";
import { overwriteOf } from "./world/seed-world.ts";
import { deleteChannel, joinThread, setArchived } from "./world/threads.ts";
import { intents, type World } from "./world/world.ts";

export interface ControlParts {
  world: World;
  commands: CommandStore;
  interactions: Interactions;
  gateway: Gateway;
  faults: Faults;
  /** Drops every request to the API, or stops doing so. */
  refuseRest: (on: boolean) => void;
}

export type ControlHandlers = {
  [Action in keyof ControlActions]: (input: ControlInput<Action>) => ControlOutput<Action>;
};

/** The handlers of a test's actions. An error is a mistake in the test. */
export function controlHandlers(parts: ControlParts): ControlHandlers {
  return {
    ...messageHandlers(parts),
    ...placeHandlers(parts),
    ...interactionHandlers(parts),
    ...faultHandlers(parts),
  };
}

function messageHandlers({ world }: ControlParts) {
  return {
    say: (input: ControlInput<"say">) => say(world, input).id,
    edit: (input: ControlInput<"edit">) => done(edit(world, input)),
    unfurl: (input: ControlInput<"unfurl">) => done(unfurl(world, input)),
    remove: (input: ControlInput<"remove">) => done(remove(world, input)),
    react: (input: ControlInput<"react">) => done(react(world, input)),
    openDm: ({ user }: ControlInput<"openDm">) => world.directMessage(user).id,
  };
}

function placeHandlers({ world }: ControlParts) {
  const guildOf = (id: string) => {
    const guild = world.guilds.get(id);
    if (!guild) throw refusals.unknownGuild();
    return guild;
  };
  return {
    joinGuild: ({ guild: id }: ControlInput<"joinGuild">) => {
      const guild = guildOf(id);
      guild.joined = true;
      world.deliver({
        name: "GUILD_CREATE",
        guild: id,
        intent: intents.guilds,
        data: () => wireGuild(world, guild),
      });
      return null;
    },
    startThread: (input: ControlInput<"startThread">) => startThread(world, input).id,
    createForumPost: (input: ControlInput<"createForumPost">) => createForumPost(world, input).id,
    addToThread: ({ thread, user }: ControlInput<"addToThread">) =>
      done(joinThread(world, channelOf(world, thread), user)),
    archiveThread: ({ thread, archived, locked }: ControlInput<"archiveThread">) =>
      done(
        setArchived(world, channelOf(world, thread), {
          archived: archived ?? true,
          ...(locked === undefined ? {} : { locked }),
        }),
      ),
    deleteChannel: ({ channel }: ControlInput<"deleteChannel">) =>
      done(deleteChannel(world, channelOf(world, channel))),
    setOverwrites: ({ channel: id, overwrites }: ControlInput<"setOverwrites">) => {
      const channel = channelOf(world, id);
      channel.overwrites = overwrites.map(overwriteOf);
      const data = wireChannel(world, channel);
      world.deliver({
        name: "CHANNEL_UPDATE",
        guild: channel.guild,
        intent: intents.guilds,
        data: () => data,
      });
      return null;
    },
    setRoles: ({ guild, user, roles }: ControlInput<"setRoles">) => {
      const member = memberOf(guildOf(guild), user);
      if (!member) throw refusals.unknownMember();
      member.roles = roles;
      const data = { guild_id: guild, ...fullMember(world, member) };
      const intent = user === world.bot ? intents.guilds : intents.guildMembers;
      world.deliver({ name: "GUILD_MEMBER_UPDATE", guild, intent, data: () => data });
      return null;
    },
  };
}

function interactionHandlers(parts: ControlParts) {
  return {
    command: (input: ControlInput<"command">) => useCommand(parts, input).id,
    autocomplete: (input: ControlInput<"autocomplete">) => autocomplete(parts, input).id,
    click: (input: ControlInput<"click">) => click(parts, input).id,
    submitModal: (input: ControlInput<"submitModal">) => submitModal(parts, input).id,
    contextMenu: (input: ControlInput<"contextMenu">) => contextMenu(parts, input).id,
  };
}

function faultHandlers({ world, gateway, faults, refuseRest }: ControlParts) {
  return {
    fault: (fault: ControlInput<"fault">) => done(faults.add(fault)),
    disconnect: (how: ControlInput<"disconnect">) => {
      if ("code" in how) gateway.close(how.code);
      else if ("abrupt" in how) gateway.cut();
      else if ("reconnect" in how) gateway.askToReconnect();
      else gateway.invalidate(how.invalid === "resumable");
      return null;
    },
    refuseConnections: ({ on, rest }: ControlInput<"refuseConnections">) => {
      gateway.refusing = on;
      refuseRest(on && rest);
      return null;
    },
    holdConnections: ({ on }: ControlInput<"holdConnections">) => done(gateway.hold(on)),
    revokeToken: () => {
      world.revoked = true;
      gateway.close(4004);
      return null;
    },
  };
}

function done(_: unknown): null {
  return null;
}

import { PermissionFlagsBits } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import {
  type ChannelFacts,
  channelPermissions,
  type GuildFacts,
  has,
} from "../../../../src/platforms/discord/channel/directory-facts.ts";
import { missingPermissions } from "../../../../src/platforms/discord/channel/missing-permissions.ts";

const {
  Administrator: administrator,
  ManageChannels: manageChannels,
  SendMessages: sendMessages,
  ViewChannel: viewChannel,
} = PermissionFlagsBits;
const role = (bits: bigint) => ({ name: "", permissions: bits, bot_id: undefined, mentionable: false });
const guild: GuildFacts = {
  id: "g",
  name: "G",
  owner_id: "owner",
  roles: new Map([
    ["g", role(viewChannel | sendMessages)],
    ["mod", role(manageChannels)],
    ["muted", role(0n)],
    ["admin", role(administrator)],
  ]),
};
const channel = (overwrites: ChannelFacts["overwrites"] = []): ChannelFacts => ({
  id: "c",
  type: 0,
  guild_id: "g",
  name: "c",
  topic: undefined,
  parent_id: undefined,
  overwrites,
  recipient: undefined,
  last_message_id: undefined,
});
const may = (wanted: bigint, who: string, roles: string[], overwrites: ChannelFacts["overwrites"] = []) =>
  has(channelPermissions(guild, channel(overwrites), who, roles), wanted);

describe("permissions in a channel", () => {
  test("permissions in a channel are those of everyone and of one's roles", () => {
    expect(may(manageChannels, "u", [])).toBe(false);
    expect(may(manageChannels | sendMessages, "u", ["mod"])).toBe(true);
  });

  test("permissions of owner and administrators are complete, whatever the channel says", () => {
    const nothing = [{ id: "g", allow: 0n, deny: viewChannel | sendMessages }];
    expect(may(manageChannels | sendMessages, "owner", [], nothing)).toBe(true);
    expect(may(manageChannels | sendMessages, "u", ["admin"], nothing)).toBe(true);
  });

  test("permissions are changed by the channel: everyone first, then roles together, then the person", () => {
    const everyone = { id: "g", allow: 0n, deny: sendMessages };
    const mod = { id: "mod", allow: sendMessages, deny: 0n };
    const muted = { id: "muted", allow: 0n, deny: sendMessages };
    expect(may(sendMessages, "u", [], [everyone])).toBe(false);
    expect(may(sendMessages, "u", ["mod"], [mod, everyone])).toBe(true);
    expect(may(sendMessages, "u", ["mod", "muted"], [everyone, muted, mod])).toBe(true);
    expect(may(sendMessages, "u", ["mod"], [mod, { id: "u", allow: 0n, deny: sendMessages }])).toBe(false);
  });
});

test("a missing permission is named with what does not work without it", () => {
  expect(missingPermissions((1n << 60n) - 1n)).toEqual([]);
  expect(missingPermissions(0n).map(({ name }) => name)).toContain("Create Public Threads");
});

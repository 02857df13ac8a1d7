import { describe, expect, it } from "vitest";
import { messageBody } from "../../../../src/platforms/discord/outgoing/message-body.ts";
import {
  exampleGuild,
  privateThread,
  room,
  useChatRigs,
  withPrivateThread,
} from "../../../support/discord/chat-rig.ts";
import type { DiscordOptions } from "../../../support/discord/discord-options.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";

const rig = useChatRigs();
const general = room(ids.general);

describe("reacting and pinning", () => {
  const party = { id: "1000000000000000150", name: "party_knack" };

  it("reacting knows characters, flags and keycaps, names, and the server's own emoji", async () => {
    const { actions, discord } = await rig(exampleGuild(() => ({ emojis: [party] })));
    const id = await discord.say({ user: ids.adam, channel: ids.general, content: "well" });
    const names = ["🎉", "🇩🇪", "1️⃣", "white_check_mark", ":eyes:", "party_knack"];
    for (const name of names) await actions.react?.(general, `${ids.general}:${id}`, name, true);
    const { messages } = await discord.state();
    expect(Object.keys(messages.find((each) => each.id === id)?.reactions ?? {})).toEqual([
      ...["🎉", "🇩🇪", "1️⃣", "✅", "👀"],
      `party_knack:${party.id}`,
    ]);
  });

  it("reacting with an unknown name says what a name looks like", async () => {
    const { actions, discord } = await rig();
    const id = await discord.say({ user: ids.adam, channel: ids.general, content: "well" });
    const react = actions.react?.(general, `${ids.general}:${id}`, "party_knack", true);
    await expect(react).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("thumbsup"),
    });
  });

  it("reacting and pinning say which permission is missing", async () => {
    const { actions, discord } = await rig(
      exampleGuild(() => ({ everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages"], botRoles: [] })),
    );
    const id = await discord.say({ user: ids.adam, channel: ids.general, content: "well" });
    const refused = (name: string) => ({
      code: "forbidden",
      message: expect.stringMatching(new RegExp(`: ${name}\\.$`)),
    });
    await expect(actions.react?.(general, `${ids.general}:${id}`, "eyes", true)).rejects.toMatchObject(
      refused("Add Reactions"),
    );
    await expect(actions.pin?.(general, `${ids.general}:${id}`, true)).rejects.toMatchObject(
      refused("Pin Messages"),
    );
  });

  it("reacting in an archived thread says how it opens again", async () => {
    const { actions, discord } = await rig();
    const root = await discord.say({ user: ids.adam, channel: ids.general, content: "well" });
    await discord.startThread({ user: ids.adam, channel: ids.general, name: "talk", message: root });
    const id = await discord.say({ user: ids.adam, channel: root, content: "in it" });
    await discord.act("archiveThread", { thread: root });
    await expect(actions.react?.(general, `${root}:${id}`, "eyes", true)).rejects.toThrow("opens it again");
  });
});

describe("people and roles", () => {
  it("finding people works by the beginnings of their names, without a privileged intent, and says who is here", async () => {
    const { actions } = await rig(withPrivateThread());
    const find = (namespace: string, words: string) =>
      actions.people?.(namespace, { words, asker: ids.adam, most: 5 });
    expect((await find(general, "mi"))?.people).toMatchObject([
      { name: "mia", title: "moderators", here: true },
    ]);
    expect((await find(room(privateThread), "mi"))?.people).toMatchObject([{ name: "mia", here: false }]);
    expect((await find(room(privateThread), "adam"))?.people).toMatchObject([{ name: "adam", here: true }]);
    expect((await find(general, ""))?.people).toEqual([]);
  });

  it("a role can be called if anybody may call it, or if the asker and the bot may", async () => {
    const callable = async (options: DiscordOptions, asker: string) => {
      const { actions } = await rig(options);
      const found = await actions.people?.(general, { words: "", asker, most: 20 });
      return found?.groups.flatMap((group) => (group.callable ? [group.name] : []));
    };
    const trusted = exampleGuild((guild) => ({
      roles: (guild.roles ?? []).map((role) =>
        role.id === ids.pinners ? { ...role, permissions: ["PinMessages", "MentionEveryone"] } : role,
      ),
    }));
    expect(await callable(exampleWorld(), ids.mia)).toEqual(["oncall"]);
    expect(await callable(trusted, ids.mia)).toEqual(["moderators", "oncall", "pinners"]);
    expect(await callable(trusted, ids.adam)).toEqual(["oncall"]);
  });

  it("a message calls exactly those whom the text names, of those it may call", async () => {
    const { deps, discord } = await rig(
      exampleGuild(({ members }) => ({
        members: members.map((member) =>
          member.user === ids.olivia ? { ...member, roles: [ids.onCall] } : member,
        ),
      })),
    );
    const markdown = `<@&${ids.onCall}> and <@&${ids.moderators}>, <@${ids.adam}> and <@${ids.mia}>, @everyone`;
    const body = messageBody({ markdown, calls: [ids.onCall, ids.adam, ids.bot] }, undefined);
    await deps.rest.request("POST", `/channels/${ids.general}/messages`, { body });
    const [message] = (await discord.state()).messages;
    expect(message?.notified.toSorted()).toEqual([ids.olivia, ids.adam].toSorted());
    expect(message?.mentions).toEqual({ users: [ids.adam], roles: [ids.onCall], everyone: false });
  });

  it("a direct message that does not arrive is explained", async () => {
    const { users, ...world } = exampleWorld();
    const { actions, deps } = await rig({
      ...world,
      users: users.map((user) => ({ ...user, closedDms: true })),
    });
    expect(await actions.direct?.(general, ids.adam)).toEqual({
      namespace: `discord:dm:dm-${ids.adam}`,
      thread: "dm",
    });
    const channel = await deps.directory.directMessage(ids.adam);
    const body = messageBody({ markdown: "hello" }, undefined);
    await expect(deps.rest.request("POST", `/channels/${channel}/messages`, { body })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("takes no direct messages"),
    });
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { channelThread } from "../../../../src/core/chat-platform.ts";
import { decidersIn } from "../../../../src/platforms/discord/deciders.ts";
import { messageBody } from "../../../../src/platforms/discord/message-body.ts";
import { exampleGuild, room, startChatRig } from "../../../support/discord/chat-rig.ts";
import type { DiscordOptions } from "../../../support/discord/discord-options.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function rig(options?: DiscordOptions) {
  const made = await startChatRig(options);
  closing.push(made.close);
  return made;
}

const general = room(ids.general);
const top = { namespace: general, thread: channelThread };

/** A private thread of the example world, and a server in which adam and the bot are in it and mia is not. */
const talk = "1000000000000000140";
const withPrivateThread = (locked = false) =>
  exampleGuild((guild) => ({
    channels: guild.channels.map((channel) =>
      channel.id === ids.general
        ? {
            ...channel,
            threads: [{ id: talk, name: "talk", owner: ids.adam, private: true, members: [ids.bot], locked }],
          }
        : channel,
    ),
  }));

describe("what a person may", () => {
  it("is to read a private thread for those who are in it alone", async () => {
    const { actions } = await rig(withPrivateThread());
    expect(await actions.access(room(talk), ids.adam)).toMatchObject({
      name: "talk",
      open: false,
      write: true,
    });
    expect(await actions.access(room(talk), ids.mia)).toBeUndefined();
  });

  it("is not to read a private thread as one of the channel above it", async () => {
    const { actions, discord } = await rig(withPrivateThread());
    const id = await discord.say({ user: ids.adam, channel: talk, content: "a secret word" });
    await expect(actions.history({ namespace: general, thread: talk }, { most: 10 })).rejects.toMatchObject({
      code: "gone",
    });
    expect(await actions.message(general, `${talk}:${id}`)).toBeUndefined();
    expect(await actions.message(room(talk), `${talk}:${id}`)).toMatchObject({ text: "a secret word" });
    await expect(actions.react?.(general, `${talk}:${id}`, "eyes", true)).rejects.toMatchObject({
      code: "gone",
    });
    const query = { words: ["secret"], most: 5 };
    expect(await actions.search?.(general, query)).toEqual([]);
    expect(await actions.search?.(room(talk), query)).toHaveLength(1);
  });

  it("is not to read another channel as a thread of this one", async () => {
    const { actions, discord } = await rig();
    await discord.say({ user: ids.olivia, channel: ids.announcements, content: "elsewhere" });
    const { messages } = await actions.history(
      { namespace: general, thread: ids.announcements },
      { most: 10 },
    );
    expect(messages).toEqual([]);
  });

  it("is not to write in a locked thread, unless they and the bot manage threads", async () => {
    const { actions } = await rig(withPrivateThread(true));
    expect(await actions.access(room(talk), ids.adam)).toMatchObject({ write: false });
  });

  it("is not to write or pin in a timeout", async () => {
    const { actions } = await rig(
      exampleGuild(({ members }) => ({
        everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages", "PinMessages"],
        members: members.map((member) => (member.user === ids.adam ? { ...member, timedOut: true } : member)),
      })),
    );
    expect(await actions.access(general, ids.adam)).toMatchObject({ write: false, pin: false });
    expect(await actions.access(general, ids.mia)).toMatchObject({ write: true, pin: true });
  });

  it("is not to pin with Manage Messages alone", async () => {
    const { actions } = await rig();
    expect(await actions.access(general, ids.mia)).toMatchObject({ pin: false });
  });

  it("is not to read a voice channel that they may not connect to", async () => {
    const { actions, discord } = await rig();
    expect(await actions.access(room(ids.voice), ids.adam)).toMatchObject({ open: true });
    await discord.act("setOverwrites", {
      channel: ids.voice,
      overwrites: [{ id: ids.guild, kind: "role", deny: ["Connect"] }],
    });
    const { actions: later } = await rig(
      exampleGuild(() => ({ everyone: ["ViewChannel", "ReadMessageHistory"] })),
    );
    expect(await later.access(room(ids.voice), ids.adam)).toBeUndefined();
  });
});

describe("reading", () => {
  it("takes the posts of a forum by their first messages, with titles", async () => {
    const { actions, discord } = await rig();
    const post = (name: string) =>
      discord.act("createForumPost", { user: ids.adam, channel: ids.forum, name, content: `about ${name}` });
    const [first, second] = [await post("Lamps"), await post("Cables")];
    await discord.say({ user: ids.mia, channel: first, content: "which ones?" });
    await discord.act("archiveThread", { thread: first });
    const forum = { namespace: room(ids.forum), thread: channelThread };
    const { messages, more } = await actions.history(forum, { most: 10 });
    expect(messages.map(({ text, thread }) => [text, thread])).toEqual([
      ["Lamps\n\nabout Lamps", first],
      ["Cables\n\nabout Cables", second],
    ]);
    expect(more).toBe(false);
    expect(await actions.history(forum, { most: 1 })).toMatchObject({
      messages: [{ thread: second }],
      more: true,
    });
    const listed = await actions.channels(general, ids.adam);
    expect(listed.map(({ name }) => name)).toContain("questions");
  });

  it("pages through more than one answer holds", async () => {
    const { actions, discord } = await rig();
    for (let at = 0; at < 105; at += 1)
      await discord.say({ user: ids.adam, channel: ids.general, content: `message ${at}` });
    const { messages, more } = await actions.history(top, { most: 103 });
    expect(messages.map(({ text }) => text)).toEqual(
      Array.from({ length: 103 }, (_, at) => `message ${at + 2}`),
    );
    expect(more).toBe(true);
    expect((await discord.calls("GET /guilds/:guild/members/:user")).length).toBeLessThanOrEqual(1);
  });

  it("follows a conversation of replies where there is no thread", async () => {
    const { actions, deps, discord } = await rig();
    const root = await discord.say({ user: ids.adam, channel: ids.general, content: "a question" });
    const reply = await discord.say({
      ...{ user: ids.mia, channel: ids.general, content: "an answer" },
      replyTo: root,
    });
    await discord.say({ user: ids.mia, channel: ids.general, content: "something else" });
    await deps.chains.note(ids.general, reply, root);
    const { messages } = await actions.history({ namespace: general, thread: root }, { most: 10 });
    expect(messages.map(({ text }) => text)).toEqual(["a question", "an answer"]);
  });

  it("says which permission is missing instead of finding nothing", async () => {
    const { actions } = await rig(
      exampleGuild(() => ({ everyone: ["ViewChannel", "SendMessages"], botRoles: [] })),
    );
    await expect(actions.history(top, { most: 5 })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("Read Message History"),
    });
  });

  it("says that words are kept from the bot instead of showing none", async () => {
    const { application, ...world } = exampleWorld();
    const { actions, discord } = await rig({ ...world, application: { ...application, privileged: [] } });
    await discord.say({ user: ids.adam, channel: ids.general, content: "hello" });
    const [message] = (await actions.history(top, { most: 1 })).messages;
    expect(message?.text).toContain("Message Content");
  });
});

describe("searching", () => {
  it("finds words in the channel and its threads, the latest first, and nowhere else", async () => {
    const { actions, discord } = await rig();
    const root = await discord.say({
      user: ids.adam,
      channel: ids.general,
      content: "Red lamps",
      agoMs: 60_000,
    });
    await discord.startThread({ user: ids.adam, channel: ids.general, name: "lamps", message: root });
    await discord.say({ user: ids.mia, channel: root, content: "lamps that are red" });
    await discord.say({ user: ids.mia, channel: ids.voice, content: "red lamps elsewhere" });
    const query = { words: ["red", "LAMPS"], most: 10 };
    const texts = async (more: object) =>
      (await actions.search?.(general, { ...query, ...more }))?.map(({ text }) => text);
    expect(await texts({})).toEqual(["lamps that are red", "Red lamps"]);
    expect(await texts({ author: ids.adam })).toEqual(["Red lamps"]);
    expect(await texts({ since: Date.now() - 30_000 })).toEqual(["lamps that are red"]);
    expect(await texts({ until: Date.now() - 30_000 })).toEqual(["Red lamps"]);
    expect(await texts({ most: 1 })).toEqual(["lamps that are red"]);
  });

  it("pages through more than one answer holds", async () => {
    const { actions, discord } = await rig();
    for (let at = 0; at < 30; at += 1)
      await discord.say({ user: ids.adam, channel: ids.general, content: `lamp ${at}` });
    expect(await actions.search?.(general, { words: ["lamp"], most: 28 })).toHaveLength(28);
  });

  it("leaves it to others while there is no index, without the intent, and in direct messages", async () => {
    const { actions, discord } = await rig();
    const query = { words: ["lamp"], most: 5 };
    const answer = { status: 202, code: 110000, message: "Index not yet available. Try again later" };
    await discord.fail({ route: "GET /guilds/:guild/messages/search", ...answer });
    expect(await actions.search?.(general, query)).toBeUndefined();
    expect(await actions.search?.(general, query)).toEqual([]);
    expect(await actions.search?.(`discord:dm:dm-${ids.adam}`, query)).toBeUndefined();
    const { application, ...world } = exampleWorld();
    const { actions: blind } = await rig({ ...world, application: { ...application, privileged: [] } });
    expect(await blind.search?.(general, query)).toBeUndefined();
  });
});

describe("reacting and pinning", () => {
  const party = { id: "1000000000000000150", name: "party_knack" };

  it("knows characters, flags and keycaps, names, and the server's own emoji", async () => {
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

  it("says what a name that is none looks like", async () => {
    const { actions, discord } = await rig();
    const id = await discord.say({ user: ids.adam, channel: ids.general, content: "well" });
    const react = actions.react?.(general, `${ids.general}:${id}`, "party_knack", true);
    await expect(react).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("thumbsup"),
    });
  });

  it("says which permission is missing", async () => {
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

  it("says how an archived thread opens again", async () => {
    const { actions, discord } = await rig();
    const root = await discord.say({ user: ids.adam, channel: ids.general, content: "well" });
    await discord.startThread({ user: ids.adam, channel: ids.general, name: "talk", message: root });
    const id = await discord.say({ user: ids.adam, channel: root, content: "in it" });
    await discord.act("archiveThread", { thread: root });
    await expect(actions.react?.(general, `${root}:${id}`, "eyes", true)).rejects.toThrow("opens it again");
  });
});

describe("people and roles", () => {
  it("finds people by how their names begin, without a privileged intent, and says who is here", async () => {
    const { actions } = await rig(withPrivateThread());
    const find = (namespace: string, words: string) =>
      actions.people?.(namespace, { words, asker: ids.adam, most: 5 });
    expect((await find(general, "mi"))?.people).toMatchObject([
      { name: "mia", title: "moderators", here: true },
    ]);
    expect((await find(room(talk), "mi"))?.people).toMatchObject([{ name: "mia", here: false }]);
    expect((await find(room(talk), "adam"))?.people).toMatchObject([{ name: "adam", here: true }]);
    expect((await find(general, ""))?.people).toEqual([]);
  });

  it("lets a role be called that anybody may call, or that the asker and the bot may", async () => {
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

  it("calls exactly those whom the text names, of those it may call", async () => {
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

  it("says why a direct message does not arrive", async () => {
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

describe("who may decide", () => {
  const asking = { namespace: general, thread: ids.general };

  it("is who manages the channel, as far as Discord tells", async () => {
    const { deps } = await rig();
    const deciders = () => decidersIn({ ...deps, operators: new Set() }, asking, "manager");
    expect(await deciders()).toEqual([ids.olivia]);
    await deps.directory.member(ids.guild, ids.mia);
    await deps.directory.member(ids.guild, ids.adam);
    expect((await deciders()).toSorted()).toEqual([ids.olivia, ids.mia].toSorted());
    const { application, ...world } = exampleWorld();
    const all = await rig({ ...world, application: { ...application, privileged: ["guild_members"] } });
    const listed = await decidersIn({ ...all.deps, operators: new Set() }, asking, "manager");
    expect(listed.toSorted()).toEqual([ids.olivia, ids.mia].toSorted());
  });

  it("is an operator who is in the server", async () => {
    const { deps } = await rig();
    const operators = new Set(["1000000000000000999", ids.adam]);
    expect(await decidersIn({ ...deps, operators }, asking, "operator")).toEqual([ids.adam]);
  });

  it("is nobody outside of a private thread: a mention would bring them in", async () => {
    const { deps } = await rig(withPrivateThread());
    const place = { namespace: room(talk), thread: talk };
    expect(await decidersIn({ ...deps, operators: new Set([ids.adam]) }, place, "manager")).toEqual([]);
    expect(await decidersIn({ ...deps, operators: new Set([ids.adam]) }, place, "operator")).toEqual([
      ids.adam,
    ]);
  });

  it("is the person themselves in their direct messages", async () => {
    const { deps } = await rig();
    const place = { namespace: `discord:dm:dm-${ids.adam}`, thread: "dm" };
    expect(await decidersIn({ ...deps, operators: new Set() }, place, "manager")).toEqual([ids.adam]);
  });
});

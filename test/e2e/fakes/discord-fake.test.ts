import { once } from "node:events";
import {
  Events,
  GatewayIntentBits,
  type Message,
  MessageFlags,
  MessageType,
  type TextChannel,
} from "discord.js";
import { describe, expect, it } from "vitest";
import { ids } from "../../support/discord/example-world.ts";
import { next, refusal, useDiscord } from "../../support/discord/use-discord.ts";

const { serve, connect, both } = useDiscord();

describe("messages of people", () => {
  it("people's messages arrive with author, member, mentions, reply and files that can be fetched", async () => {
    const { discord, client, general } = await both();
    const posted = await general.send("hello");
    const arrives = next<Message>(client, Events.MessageCreate);
    await discord.say({
      user: ids.mia,
      channel: ids.general,
      content: `<@${ids.bot}> look <@&${ids.moderators}> @everyone`,
      replyTo: posted.id,
      attachments: [{ name: "a b.txt", contentType: "text/plain", content: "inside" }],
    });
    const message = await arrives;
    expect(message.author.username).toBe("mia");
    expect(message.member?.roles.cache.has(ids.moderators)).toBe(true);
    expect(message.mentions.users.has(ids.bot)).toBe(true);
    expect(message.mentions.roles.has(ids.moderators)).toBe(true);
    expect(message.mentions.everyone).toBe(true);
    expect((await message.fetchReference()).content).toBe("hello");
    const file = await fetch(message.attachments.first()?.url ?? "");
    expect([await file.text(), file.headers.get("content-type")]).toEqual(["inside", "text/plain"]);
  });

  it("people's messages have no content unless the intent is there, the bot is mentioned, or they are direct messages", async () => {
    const discord = await serve();
    const { Guilds, GuildMessages, DirectMessages } = GatewayIntentBits;
    const client = await connect(discord, { intents: [Guilds, GuildMessages, DirectMessages] });
    const seen: string[] = [];
    client.on(Events.MessageCreate, (message) => {
      seen.push(message.content);
      if (seen.length === 3) client.emit("all");
    });
    const all = once(client, "all");
    await discord.say({ user: ids.adam, channel: ids.general, content: "secret" });
    await discord.say({ user: ids.adam, channel: ids.general, content: `<@${ids.bot}> open` });
    await discord.say({ user: ids.adam, channel: await discord.openDm(ids.adam), content: "direct" });
    await all;
    expect(seen).toEqual(["", `<@${ids.bot}> open`, "direct"]);
  });

  it("people's messages are edited with an edit time, unfurled without one, and deleted", async () => {
    const { discord, client } = await both();
    const arrives = next<Message>(client, Events.MessageCreate);
    const message = await discord.say({
      user: ids.adam,
      channel: ids.general,
      content: "https://example.org",
    });
    await arrives;
    const unfurled = next<Message>(client, Events.MessageUpdate);
    await discord.unfurl({ message, embeds: [{ type: "link", title: "Example" }] });
    await unfurled;
    const after = client.channels.cache.get(ids.general) as TextChannel;
    expect(after.messages.cache.get(message)).toMatchObject({
      editedTimestamp: null,
      content: "https://example.org",
    });
    expect(after.messages.cache.get(message)?.embeds[0]?.title).toBe("Example");
    const edited = next<Message>(client, Events.MessageUpdate);
    await discord.edit({ message, content: "changed" });
    await edited;
    expect(after.messages.cache.get(message)?.content).toBe("changed");
    expect(after.messages.cache.get(message)?.editedTimestamp).not.toBeNull();
    const deleted = next<Message>(client, Events.MessageDelete);
    await discord.remove(message);
    expect((await deleted).id).toBe(message);
  });

  it("people's messages stay unseen in channels that the bot may not view", async () => {
    const { discord, client } = await both();
    const first = next<Message>(client, Events.MessageCreate);
    await discord.say({ user: ids.adam, channel: ids.hidden, content: "hidden" });
    await discord.say({ user: ids.adam, channel: ids.general, content: "shown" });
    expect((await first).content).toBe("shown");
    expect(await refusal(client.channels.fetch(ids.hidden, { force: true }))).toBe(50001);
  });

  it("people's reactions arrive, and what they may not do fails in the test", async () => {
    const { discord, client, general } = await both();
    const posted = await general.send("vote");
    const reacted = once(client, Events.MessageReactionAdd);
    await discord.react({ user: ids.adam, message: posted.id, emoji: "👍" });
    const [, user] = await reacted;
    expect(user.id).toBe(ids.adam);
    await expect(discord.say({ user: ids.adam, channel: ids.forum, content: "x" })).rejects.toThrow("forum");
  });
});

describe("messages of the bot", () => {
  it("the bot's messages are refused when too long, empty, or not allowed here", async () => {
    const { client, general } = await both();
    await expect(general.send("x".repeat(2001))).rejects.toMatchObject({
      code: 50035,
      rawError: { errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] } } },
    });
    expect(await refusal(general.send(" \n "))).toBe(50006);
    const readOnly = (await client.channels.fetch(ids.readOnly)) as TextChannel;
    expect(await refusal(readOnly.send("x"))).toBe(50013);
  });

  it("the bot's messages call only whom allowed_mentions lets them, and an edit calls nobody", async () => {
    const { discord, general } = await both();
    const content = `@everyone <@${ids.adam}> <@${ids.mia}>`;
    const sent = await general.send({ content, allowedMentions: { users: [ids.mia] } });
    await sent.edit({ content: `${content}!`, allowedMentions: { parse: ["users"] } });
    await general.send(content);
    const [limited, open] = await discord.messages(ids.general);
    expect([limited?.notified, limited?.edits]).toEqual([[ids.mia], 1]);
    expect(open?.notified).toEqual([ids.adam, ids.mia]);
  });

  it("the bot's messages with an enforced nonce exist once", async () => {
    const { discord, general } = await both();
    const message = { content: "once", nonce: "n1", enforceNonce: true };
    const [first, second] = [await general.send(message), await general.send(message)];
    expect(second.id).toBe(first.id);
    expect(await discord.messages(ids.general)).toHaveLength(1);
  });

  it("the bot's messages carry files up to 10 MiB and components within their limits", async () => {
    const { discord, general } = await both();
    await general.send({ files: [{ attachment: Buffer.from("report"), name: "report.txt" }] });
    const [message] = await discord.messages(ids.general);
    expect(message?.attachments[0]).toMatchObject({ filename: "report.txt", size: 6 });
    const large = { attachment: Buffer.alloc(10 * 1024 * 1024 + 1), name: "large.bin" };
    expect(await refusal(general.send({ files: [large] }))).toBe(40005);
    const button = (id: string) => ({ type: 2, style: 1, label: "Go", custom_id: id });
    expect(
      await refusal(general.send({ components: [{ type: 1, components: [button("a"), button("a")] }] })),
    ).toBe(50035);
    const display = { type: 10, content: "x".repeat(4001) };
    expect(await refusal(general.send({ flags: MessageFlags.IsComponentsV2, components: [display] }))).toBe(
      50035,
    );
  });

  it("the bot's messages are read back newest first, and others' messages cannot be edited or deleted", async () => {
    const { discord, general } = await both();
    for (const content of ["1", "2", "3"])
      await discord.say({ user: ids.adam, channel: ids.general, content });
    const fetched = await general.messages.fetch({ limit: 2 });
    expect(fetched.map((message) => message.content)).toEqual(["3", "2"]);
    expect(await refusal(fetched.first()?.edit("x") ?? Promise.resolve())).toBe(50005);
    expect(await refusal(fetched.first()?.delete() ?? Promise.resolve())).toBe(50013);
    expect(await refusal(general.messages.fetch({ limit: 101 }))).toBe(50035);
  });
});

describe("threads", () => {
  it("threads take the id of their message, once", async () => {
    const { discord, general } = await both();
    const message = await general.send("topic");
    const thread = await message.startThread({ name: "Topic" });
    expect(thread.id).toBe(message.id);
    await thread.send("inside");
    expect(await discord.threads(ids.general)).toMatchObject([
      { id: message.id, owner: ids.bot, archived: false },
    ]);
    expect(
      await refusal(
        general.client.rest.post(`/channels/${ids.general}/messages/${message.id}/threads`, {
          body: { name: "x" },
        }),
      ),
    ).toBe(160004);
    await thread.setArchived(true);
    expect(await refusal(message.edit("ok"))).toBe("not refused");
    expect((await general.threads.fetchArchived()).threads.has(thread.id)).toBe(true);
  });

  it("threads of a forum begin with a message, and private ones are seen only by members", async () => {
    const { discord, client } = await both();
    const created = once(client, Events.ThreadCreate);
    const said = next<Message>(client, Events.MessageCreate);
    const post = await discord.createForumPost({
      user: ids.adam,
      channel: ids.forum,
      name: "How?",
      content: "Tell me",
    });
    const [thread, isNew] = await created;
    expect([thread.id, isNew, (await said).id]).toEqual([post, true, post]);
    const secret = await discord.startThread({
      user: ids.adam,
      channel: ids.general,
      name: "Secret",
      private: true,
    });
    expect(await refusal(client.channels.fetch(secret))).toBe(50001);
    const added = once(client, Events.ThreadCreate);
    await discord.addToThread({ thread: secret, user: ids.bot });
    expect((await added)[0].id).toBe(secret);
  });

  it("threads bring notes in a person's name, and update their message without an edit", async () => {
    const { discord, client } = await both();
    const said = next<Message>(client, Events.MessageCreate);
    const message = await discord.say({ user: ids.adam, channel: ids.general, content: "topic" });
    await said;
    const updated = next<Message>(client, Events.MessageUpdate);
    const noted = next<Message>(client, Events.MessageCreate);
    const thread = { user: ids.adam, channel: ids.general, name: "Topic" };
    await discord.startThread({ ...thread, message });
    expect((await updated).editedTimestamp).toBeNull();
    expect(await noted).toMatchObject({
      type: MessageType.ThreadStarterMessage,
      system: true,
      channelId: message,
    });
    const announced = next<Message>(client, Events.MessageCreate);
    await discord.startThread(thread);
    expect(await announced).toMatchObject({
      type: MessageType.ThreadCreated,
      system: true,
      channelId: ids.general,
    });
  });

  it("threads of others cannot be renamed, and locked ones not written in", async () => {
    const { discord, client } = await both();
    const created = once(client, Events.ThreadCreate);
    const id = await discord.startThread({ user: ids.adam, channel: ids.general, name: "Adam's" });
    const [thread] = await created;
    expect(await refusal(thread.setName("Mine"))).toBe(50013);
    await discord.archiveThread({ thread: id });
    expect(await refusal(thread.send("opens it again"))).toBe("not refused");
    await discord.archiveThread({ thread: id, locked: true });
    expect(await refusal(thread.send("x"))).toBe(50013);
  });
});

describe("rights", () => {
  it("rights can change while the bot runs", async () => {
    const { discord, client, general } = await both();
    const updated = once(client, Events.ChannelUpdate);
    const everyone = { id: ids.guild, kind: "role" } as const;
    await discord.setOverwrites({
      channel: ids.general,
      overwrites: [{ ...everyone, deny: ["ViewChannel"] }],
    });
    await updated;
    expect(general.viewable).toBe(false);
    expect(await refusal(general.send("x"))).toBe(50001);
    await discord.setOverwrites({
      channel: ids.general,
      overwrites: [{ ...everyone, deny: ["ReadMessageHistory"] }],
    });
    const said = await discord.say({ user: ids.adam, channel: ids.general, content: "x" });
    expect((await general.messages.fetch({ limit: 5 })).size).toBe(0);
    expect(await refusal(general.send({ content: "re", reply: { messageReference: said } }))).toBe(160002);
  });
});

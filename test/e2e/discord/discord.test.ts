import { describe, expect, test } from "vitest";
import { exampleGuild } from "../../support/discord/chat-rig.ts";
import { ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { discordBot, fakeDiscord, next, said } from "../support/discord-bot.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;
/** Somebody with the role that anybody may call. */
const cleo = { id: "1000000000000000204", name: "cleo" };

describe("in a channel", () => {
  test("a mention is answered in a thread that is named after it, and marked as seen until then", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["Hello **Adam**."]));

    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} say hello` });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.content).toBe("Hello **Adam**.");
    expect(await discord.threads(general)).toMatchObject([{ id, name: "say hello", owner: ids.bot }]);
    await discord.until(({ messages }) =>
      messages.find((each) => each.id === id && !each.reactions["👀"]?.length),
    );
    const reactions = await discord.calls("PUT /channels/:channel/messages/:message/reactions/:emoji/@me");
    expect(reactions).toHaveLength(1);
  });

  test("follow-ups in the thread need no mention, and people who talk to each other are left alone", async () => {
    const discord = await fakeDiscord();
    const model = scriptedModel(["One.", "Two."]);
    await discordBot(discord, model);
    const thread = await discord.say({ user: ids.adam, channel: general, content: `${mention} count` });
    await discord.until((state) => said(state, thread));

    await discord.say({ user: ids.adam, channel: general, content: `<@${ids.mia}> lunch?` });
    await discord.say({ user: ids.adam, channel: thread, content: "go on" });
    await discord.until((state) => said(state, thread, 2));

    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("go on");
    expect(said(await discord.state(), general)).toBeUndefined();
  });

  test("the bot reads names instead of ids, and its answer calls whom the message may call and nobody else", async () => {
    const onCall = exampleGuild(({ members }) => ({
      members: [...members, { user: cleo.id, roles: [ids.onCall] }],
    }));
    const discord = await fakeDiscord({ ...onCall, users: [...onCall.users, cleo] });
    const all = `@everyone and @here and <@&${ids.moderators}> and <@${ids.mia}> and <@${ids.olivia}>`;
    const model = scriptedModel([`${all} and <@&${ids.onCall}>`]);
    await discordBot(discord, model);

    const who = `<@${ids.mia}> of <@&${ids.moderators}> and <@&${ids.onCall}>`;
    const content = `${mention} ask ${who} in <#${ids.forum}> at <t:0:R>`;
    const id = await discord.say({ user: ids.adam, channel: general, content });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.notified).toEqual([ids.mia, cleo.id]);
    expect(answer?.mentions.roles).toEqual([ids.onCall]);
    expect(answer?.content).not.toMatch(/@everyone|@here/);
    const asked = JSON.stringify(model.requests[0]?.messages.at(-1));
    expect(asked).toContain("ask @mia of @moderators and @oncall in #questions at 1970-01-01 00:00 UTC");
  });

  test("a message edited while it is answered changes the turn, and a link preview changes nothing", async () => {
    const discord = await fakeDiscord();
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const gate = async () => {
      asked.resolve();
      await go.promise;
    };
    const model = scriptedModel(["Done."], { gate });
    const { app } = await discordBot(discord, model);
    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} 2 + 2` });
    await asked.promise;

    const taken = next(app, "inbound", 1);
    const finished = next(app, "turn_finished", 2);
    await discord.unfurl({ message: id, embeds: [{ title: "Two" }] });
    await discord.edit({ message: id, content: `${mention} 3 + 3` });
    expect((await taken)[0]?.inbound.text).toContain("3 + 3");
    go.resolve();

    await finished;
    const read = model.requests.flatMap(({ messages }) => messages.map((message) => JSON.stringify(message)));
    expect(read.some((each) => each.includes("3 + 3"))).toBe(true);
  });

  test("the bot replies where it may not make threads, and replies to it continue the conversation", async () => {
    const discord = await fakeDiscord();
    const model = scriptedModel(["One.", "Two."]);
    await discordBot(discord, model);
    const overwrites = [{ id: ids.bot, kind: "member" as const, deny: ["CreatePublicThreads" as const] }];
    await discord.setOverwrites({ channel: general, overwrites });

    const first = await discord.say({ user: ids.adam, channel: general, content: `${mention} count` });
    const [one] = await discord.until((state) => said(state, general));
    const second = await discord.say({
      user: ids.adam,
      channel: general,
      content: "go on",
      replyTo: one?.id ?? "",
    });
    const [, two] = await discord.until((state) => said(state, general, 2));

    expect([one?.replyTo, two?.replyTo]).toEqual([first, second]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("One.");
    expect(await discord.threads(general)).toEqual([]);
  });

  test("the bot called into a conversation of others reads what they replied to", async () => {
    const discord = await fakeDiscord();
    const model = scriptedModel(["I see."]);
    await discordBot(discord, model);
    const before = await discord.say({ user: ids.mia, channel: general, content: "the build is red" });

    const id = await discord.say({
      user: ids.adam,
      channel: general,
      content: `${mention} why?`,
      replyTo: before,
    });

    await discord.until((state) => said(state, id));
    expect(JSON.stringify(model.requests[0])).toContain("the build is red");
  });

  test("a forum post that mentions the bot is answered in the post", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["An answer."]));

    const content = `${mention} how?`;
    const post = await discord.createForumPost({ user: ids.adam, channel: ids.forum, name: "Q", content });

    const [answer] = await discord.until((state) => said(state, post));
    expect(answer?.content).toBe("An answer.");
    const reactions = await discord.calls("PUT /channels/:channel/messages/:message/reactions/:emoji/@me");
    expect(reactions[0]?.path).toContain(post);
  });

  test("an archived thread is opened again for the answer", async () => {
    const discord = await fakeDiscord();
    const go = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const gate = async () => {
      asked.resolve();
      await go.promise;
    };
    await discordBot(discord, scriptedModel(["Back."], { gate }));
    const thread = await discord.startThread({ user: ids.adam, channel: general, name: "old" });
    await discord.say({ user: ids.adam, channel: thread, content: `${mention} hello` });
    await asked.promise;
    await discord.archiveThread({ thread });
    go.resolve();

    const [answer] = await discord.until((state) => said(state, thread));
    expect(answer?.content).toBe("Back.");
  });
});

describe("files", () => {
  test("files that people attach are read", async () => {
    const discord = await fakeDiscord();
    const model = scriptedModel(["Read."]);
    await discordBot(discord, model);

    const id = await discord.say({
      user: ids.adam,
      channel: general,
      content: `${mention} what is in it?`,
      attachments: [{ name: "notes.txt", contentType: "text/plain", content: "the secret is 42" }],
    });

    await discord.until((state) => said(state, id));
    expect(JSON.stringify(model.requests[0])).toContain("the secret is 42");
  });
});

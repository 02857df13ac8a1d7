import { describe, expect, it } from "vitest";
import { channelThread } from "../../../../src/core/ports/chat-platform.ts";
import { exampleGuild, room, useChatRigs } from "../../../support/discord/chat-rig.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";

const rig = useChatRigs();
const top = { namespace: room(ids.general), thread: channelThread };
const general = room(ids.general);

describe("reading", () => {
  it("reading a forum takes its posts by their first messages, with titles", async () => {
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

  it("reading pages through more than one answer holds", async () => {
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

  it("reading follows a conversation of replies where there is no thread", async () => {
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

  it("reading says which permission is missing instead of finding nothing", async () => {
    const { actions } = await rig(
      exampleGuild(() => ({ everyone: ["ViewChannel", "SendMessages"], botRoles: [] })),
    );
    await expect(actions.history(top, { most: 5 })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("Read Message History"),
    });
  });

  it("reading says that message content is kept from the bot instead of showing none", async () => {
    const { application, ...world } = exampleWorld();
    const { actions, discord } = await rig({ ...world, application: { ...application, privileged: [] } });
    await discord.say({ user: ids.adam, channel: ids.general, content: "hello" });
    const [message] = (await actions.history(top, { most: 1 })).messages;
    expect(message?.text).toContain("Message Content");
  });
});

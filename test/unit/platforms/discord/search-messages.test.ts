import { describe, expect, it } from "vitest";
import { room, useChatRigs } from "../../../support/discord/chat-rig.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";

const rig = useChatRigs();
const general = room(ids.general);

describe("searching", () => {
  it("searching finds words in the channel and its threads, latest first, and nowhere else", async () => {
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

  it("searching pages through more than one answer holds", async () => {
    const { actions, discord } = await rig();
    for (let at = 0; at < 30; at += 1)
      await discord.say({ user: ids.adam, channel: ids.general, content: `lamp ${at}` });
    expect(await actions.search?.(general, { words: ["lamp"], most: 28 })).toHaveLength(28);
  });

  it("searching is left to others while there is no index, without the intent, and in direct messages", async () => {
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

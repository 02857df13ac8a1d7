import { on, once } from "node:events";
import { type Client, Events, type Message, RESTEvents } from "discord.js";
import { describe, expect, it } from "vitest";
import { exampleToken, exampleWorld, ids } from "../../support/discord/example-world.ts";
import { next, refusal, useDiscord } from "../../support/discord/use-discord.ts";

const { serve, connect, both } = useDiscord();

const posting = "POST /channels/:channel/messages";

/** The contents of the messages that arrive, until there are so many. */
async function arriving(client: Client, count: number): Promise<string[]> {
  const contents: string[] = [];
  for await (const [message] of on(client, Events.MessageCreate)) {
    contents.push(message.content);
    if (contents.length === count) break;
  }
  return contents;
}

describe("the gateway", () => {
  it("the gateway refuses a wrong token, and intents that are not switched on", async () => {
    const application = { ...exampleWorld().application, privileged: [] };
    expect(await refusal(connect(await serve({ application: { ...application, token: "other" } })))).toBe(
      "TokenInvalid",
    );
    const discord = await serve({ application });
    await expect(connect(discord)).rejects.toThrow(/disallowed intents/i);
    expect((await discord.state()).identified).toHaveLength(1);
  });

  it.each([
    { how: { abrupt: true } as const },
    { how: { reconnect: true } as const },
    { how: { code: 4000 } },
  ])("the gateway replays on RESUME what was missed after $how", async ({ how }) => {
    const { discord, client } = await both();
    await discord.holdConnections(true);
    await discord.disconnect(how);
    await discord.until((state) => state.sessions.every(({ connected }) => !connected));
    const missed = arriving(client, 2);
    await discord.say({ user: ids.adam, channel: ids.general, content: "first" });
    await discord.say({ user: ids.adam, channel: ids.general, content: "second" });
    await discord.holdConnections(false);
    expect(await missed).toEqual(["first", "second"]);
    const { sessions, identified } = await discord.state();
    expect([sessions.length, sessions[0]?.resumes, identified.length]).toEqual([1, 1, 1]);
  });

  it("the gateway forgets what was missed when the session is gone", async () => {
    const { discord, client } = await both();
    const seen: string[] = [];
    client.on(Events.MessageCreate, (message) => seen.push(message.content));
    await discord.disconnect({ code: 4009 });
    await discord.say({ user: ids.adam, channel: ids.general, content: "missed" });
    await discord.until(
      ({ identified, sessions }) => identified.length === 2 && sessions.some((one) => one.connected),
    );
    const after = arriving(client, 1);
    await discord.say({ user: ids.adam, channel: ids.general, content: "seen" });
    await after;
    expect(seen).toEqual(["seen"]);
  });

  it("the gateway gives each shard its guilds, and direct messages to shard 0", async () => {
    const world = exampleWorld();
    const [home] = world.guilds;
    const other = {
      id: String(BigInt(ids.guild) + (1n << 22n)),
      name: "Other",
      members: [{ user: ids.adam }],
      channels: [],
    };
    const discord = await serve({ guilds: home ? [home, other] : [], shards: 2 });
    const client = await connect(discord, { shards: "auto" });
    expect(client.ws.shards.size).toBe(2);
    const shards = [ids.guild, other.id].map((guild) => client.guilds.cache.get(guild)?.shardId);
    expect(new Set(shards)).toEqual(new Set([0, 1]));
    const said = next<Message>(client, Events.MessageCreate);
    await discord.say({ user: ids.adam, channel: await discord.openDm(ids.adam), content: "hi" });
    expect((await said).content).toBe("hi");
    expect((await discord.state()).identified.map(({ payload }) => payload.shard)).toEqual(
      expect.arrayContaining([
        [0, 2],
        [1, 2],
      ]),
    );
  });

  it("the gateway reports a guild that the bot is added to", async () => {
    const world = exampleWorld();
    const added = {
      id: "1000000000000000300",
      name: "New",
      members: [{ user: ids.adam }],
      channels: [],
      joined: false,
    };
    const { discord, client } = await both({ guilds: [...world.guilds, added] });
    expect(await refusal(client.guilds.fetch(added.id))).toBe(50001);
    const joined = once(client, Events.GuildCreate);
    await discord.joinGuild(added.id);
    expect((await joined)[0].name).toBe("New");
  });

  it("the gateway ends the session permanently with a revoked token", async () => {
    const { discord, client, general } = await both();
    const ended = once(client, Events.ShardDisconnect);
    client.on(Events.ShardError, () => undefined);
    client.on(Events.Error, () => undefined);
    await discord.revokeToken();
    expect((await ended)[0].code).toBe(4004);
    expect(await refusal(general.send("x"))).toBe(0);
  });
});

describe("faults of the API", () => {
  it("faults of the API include a 429 with headers that the client waits for", async () => {
    const { discord, client, general } = await both();
    const limited = once(client.rest, RESTEvents.RateLimited);
    await discord.rateLimit({ route: posting, seconds: 0.2 });
    await general.send("patient");
    expect((await limited)[0]).toMatchObject({ scope: "user", global: false });
    expect((await discord.calls(posting)).map(({ status }) => status)).toEqual([429, 200]);
  });

  it("faults of the API include errors and broken connections, before the request is done or after", async () => {
    const discord = await serve();
    const client = await connect(discord, { rest: { retries: 0 } });
    const post = () =>
      refusal(client.rest.post(`/channels/${ids.general}/messages`, { body: { content: "x" } }));
    await discord.fail({ route: posting, status: 403, code: 50013 });
    expect(await post()).toBe(50013);
    await discord.drop({ route: posting });
    expect(await post()).not.toBe("not refused");
    expect(await discord.messages(ids.general)).toEqual([]);
    await discord.drop({ route: posting, after: true });
    expect(await post()).not.toBe("not refused");
    expect(await discord.messages(ids.general)).toHaveLength(1);
    expect(await post()).toBe("not refused");
  });

  it("faults of the API include rate limits that a client which reads the headers never hits", async () => {
    const discord = await serve({ enforceRates: true });
    const url = `${discord.apiUrl}/v10/channels/${ids.general}/messages`;
    const headers = { authorization: `Bot ${exampleToken}`, "content-type": "application/json" };
    const post = () => fetch(url, { method: "POST", headers, body: JSON.stringify({ content: "x" }) });
    const replies: Response[] = [];
    for (let count = 0; count < 6; count += 1) replies.push(await post());
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(replies.map((reply) => reply.headers.get("x-ratelimit-remaining")).slice(0, 5)).toEqual([
      "4",
      "3",
      "2",
      "1",
      "0",
    ]);
    expect(await replies[5]?.json()).toMatchObject({ message: "You are being rate limited.", global: false });
    expect(replies[5]?.headers.get("x-ratelimit-scope")).toBe("user");
  });

  it("faults of the API include unknown routes and wrong tokens", async () => {
    const discord = await serve();
    const get = async (path: string, token = exampleToken) =>
      (await fetch(`${discord.apiUrl}/v10${path}`, { headers: { authorization: `Bot ${token}` } })).status;
    expect(await get("/users/@me")).toBe(200);
    expect(await get("/users/@me", "wrong")).toBe(401);
    expect(await get("/absent")).toBe(404);
  });

  it("faults of the API include a server that cannot be reached for a while", async () => {
    const discord = await serve();
    const reach = () => refusal(fetch(`${discord.apiUrl}/v10/gateway`));
    await discord.refuseConnections(true, { rest: true });
    expect(await reach()).not.toBe("not refused");
    await discord.refuseConnections(false);
    expect(await reach()).toBe("not refused");
  });
});

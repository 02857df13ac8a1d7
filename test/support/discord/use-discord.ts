import { once } from "node:events";
import type { Client, ClientOptions, TextChannel } from "discord.js";
import { afterEach } from "vitest";
import { connectClient } from "./connect-client.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { type DiscordServer, startDiscordServer } from "./discord-server.ts";
import { exampleWorld, ids } from "./example-world.ts";

/** Fake Discords and real clients for the tests of a file; both are stopped after each test. */
export function useDiscord() {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  /** The example world, with these options changed. */
  const serve = async (change: Partial<DiscordOptions> = {}): Promise<DiscordServer> => {
    const discord = await startDiscordServer({ ...exampleWorld(), ...change });
    stops.push(() => discord.close());
    return discord;
  };
  const connect = async (
    discord: DiscordServer,
    options: Partial<ClientOptions> = {},
  ): Promise<Client<true>> => {
    const client = await connectClient(discord, options);
    stops.push(() => client.destroy());
    return client;
  };
  /** A server, a client, and the channel `general` as the client sees it. */
  const both = async (change: Partial<DiscordOptions> = {}) => {
    const discord = await serve(change);
    const client = await connect(discord);
    const general = (await client.channels.fetch(ids.general)) as TextChannel;
    return { discord, client, general };
  };
  return { serve, connect, both };
}

/** The first argument of the client's next event of this name. */
export async function next<Got>(client: Client, event: string): Promise<Got> {
  const [got] = await once(client, event);
  return got as Got;
}

/** The error code a promise is refused with. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "not refused",
    (error: { code?: unknown }) => error.code,
  );
}

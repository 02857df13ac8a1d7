import { Client, type ClientOptions, Events, GatewayIntentBits, Partials } from "discord.js";
import type { DiscordServer } from "./discord-server.ts";
import { exampleToken } from "./example-world.ts";

/** Logs a real discord.js client in at a fake Discord, with the intents a bot that reads along needs. */
export async function connectClient(
  server: DiscordServer,
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.GuildMessageReactions,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    partials: [Partials.Channel, Partials.Message],
    ...options,
    rest: { api: server.apiUrl, ...options.rest },
  });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  try {
    await client.login(exampleToken);
  } catch (error) {
    await client.destroy();
    throw error;
  }
  return ready;
}

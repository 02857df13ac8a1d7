/** The child process of `startDiscordServer`: a fake Discord on a free loopback port, seeded by the first line it reads. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { DiscordOptions } from "./discord/discord-options.ts";
import { serveFakeDiscord } from "./discord/fake-discord.ts";

// Standard input closes with the parent, however that ends.
process.stdin.on("close", () => process.exit());
const [seed] = await once(createInterface({ input: process.stdin }), "line");
const { origin } = await serveFakeDiscord(JSON.parse(String(seed)) as DiscordOptions);
process.stdout.write(`${JSON.stringify({ origin })}\n`);

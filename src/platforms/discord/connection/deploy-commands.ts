import type { App } from "../../../app/app.ts";
import type { KeyValue, Log } from "../../../core/ports/storage.ts";
import { commandsHash, slashCommands } from "../incoming/slash-commands.ts";
import type { DiscordRest } from "./discord-rest.ts";

/**
 * Registers the slash commands with Discord, for all servers, when they are others than before: registering counts against a
 * daily limit. A failure is logged; the commands of before stay.
 */
export async function deployCommands(
  { app, rest, store, logger }: { app: App; rest: DiscordRest; store: KeyValue; logger: Log },
  applicationId: string,
): Promise<void> {
  try {
    const commands = slashCommands(await app.complete("/", "discord:any:any"));
    const hash = commandsHash(commands);
    const key = `discord-commands:${applicationId}`;
    if ((await store.get(key)) === hash) return;
    await rest.request("PUT", `/applications/${applicationId}/commands`, { body: commands });
    await store.set(key, hash);
    logger.info({ commands: commands.length }, "Discord: the slash commands were registered");
  } catch (error) {
    logger.warn({ err: error }, "Discord: the slash commands could not be registered; the old ones stay");
  }
}

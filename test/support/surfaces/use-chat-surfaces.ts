import { afterAll, beforeAll, vi } from "vitest";
import { type Gate, startGate } from "../../e2e/support/gate.ts";
import { type PlatformBot, usePlatformBot } from "../bot/platform-bot.ts";
import { zoe } from "../bot/platform-discord.ts";
import type { PlatformModel } from "../bot/platform-model.ts";
import { ids } from "../discord/example-world.ts";
import type { Capabilities, ChatSurface } from "./chat-surface.ts";
import { consoleCan, consoleChat } from "./console-chat.ts";
import { discordCan, discordChat } from "./discord-chat.ts";
import { discordDirectCan, discordDirectChat } from "./discord-direct-chat.ts";
import { slackCan, slackChat } from "./slack-chat.ts";
import { slackDirectCan, slackDirectChat, slackOneCan } from "./slack-direct-chat.ts";
import { terminalCan, terminalChat } from "./terminal-chat.ts";

const surfaces = {
  slack: { can: slackCan, open: ({ slack }: PlatformBot) => slackChat(slack) },
  discord: { can: discordCan, open: ({ discord }: PlatformBot) => discordChat(discord) },
  "slack direct messages": {
    can: slackDirectCan,
    open: ({ slack }: PlatformBot) => slackDirectChat(slack, false),
  },
  "slack direct messages in one conversation": {
    can: slackOneCan,
    open: ({ slack }: PlatformBot) => slackDirectChat(slack, true),
  },
  "discord direct messages": {
    can: discordDirectCan,
    open: ({ discord }: PlatformBot) => discordDirectChat(discord),
  },
  console: { can: consoleCan, open: ({ bot }: PlatformBot) => consoleChat(bot) },
  terminal: { can: terminalCan, open: async ({ bot }: PlatformBot) => terminalChat(bot) },
};

export type SurfaceName = keyof typeof surfaces;

/** The features of a surface; known before anything is started. */
export const capabilitiesOf = (name: SurfaceName): Capabilities => surfaces[name].can;

/** One bot on several surfaces at once. */
export interface ChatSurfaces {
  /** The surfaces that the file tests. */
  surfaces: ReadonlyMap<SurfaceName, ChatSurface>;
  model: PlatformModel;
  /** A site for slow work, whose pages name themselves. */
  pages: Gate;
  /** From now on this page is not answered, until the returned function is called. */
  holdPage(path: string): () => void;
  /** Waits until all turns whose message contains this text are finished. */
  finished(text: string): Promise<void>;
}

/** A secret of the bot's configuration. */
export const secret = "sk-surfaces-5f1d9c27ab";

/** A skill whose script only operators may approve; it prints its arguments. */
const cleaner = `---
name: cleaner
description: Removes old files. Use it to tidy up.
metadata:
  risk: high
  active: "true"
---
Run clean.sh with the folder.
`;

const config = `
operators: [U0ANNA, U0OTTO, "${ids.mia}", "${ids.olivia}", "${zoe}"]
model: { retries: 1 }
skills: { opt_in: [text-analyzer] }
chat: { progress_delay_seconds: 0 }
turns: { concurrent: 40 }
`;

/** Starts the bot on both fake platforms, with everything its surfaces need, for the tests of a file. */
export function useChatSurfaces(names: readonly SurfaceName[]): () => ChatSurfaces {
  const oneConversation = names.includes("slack direct messages in one conversation");
  const direct = `slack: { direct_messages: ${oneConversation ? "one" : "auto"} }\n`;
  const bot = usePlatformBot({
    config: config + direct,
    env: { OPENAI_API_KEY: secret },
    keepsReplies: true,
  });
  let opened: ChatSurfaces | undefined;
  beforeAll(async () => {
    const { home, start } = bot();
    await home.write(".knack-workspace/skills/cleaner/SKILL.md", cleaner);
    await home.write(".knack-workspace/skills/cleaner/clean.sh", 'echo "cleaned $1"\n');
    await start();
    opened = await open(bot(), names);
  });
  afterAll(async () => {
    if (opened === undefined) return;
    for (const surface of opened.surfaces.values()) await surface.close();
    await opened.pages[Symbol.asyncDispose]();
  });
  return () => {
    if (opened === undefined) throw new Error("The surfaces are not there.");
    return opened;
  };
}

async function open(bot: PlatformBot, names: readonly SurfaceName[]): Promise<ChatSurfaces> {
  const held = new Map<string, Promise<void>>();
  const pages = await startGate(async ({ path }, response) => {
    await held.get(path);
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>${path}</title><main><p>This is the page called ${path}.</p></main>`);
  });
  const opened = new Map<SurfaceName, ChatSurface>();
  for (const name of names) opened.set(name, await surfaces[name].open(bot));
  return {
    model: bot.model,
    pages,
    holdPage(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return resolve;
    },
    surfaces: opened,
    async finished(text) {
      const look = async () => {
        const { turns } = await bot.bot().client.call("run.list", { limit: 50 });
        const asked = turns.filter(({ question }) => question.includes(text));
        if (asked.length === 0 || asked.some(({ status }) => status !== "finished"))
          throw new Error(`Not finished: ${JSON.stringify(asked)}`);
      };
      await vi.waitFor(look, { timeout: 15_000, interval: 40 });
    },
  };
}

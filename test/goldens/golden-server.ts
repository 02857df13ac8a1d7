import { onTestFinished } from "vitest";
import { loadConsoleAssets } from "../../src/server/console-assets.ts";
import { createServer, type KnackServer } from "../../src/server/server.ts";
import { createGoldenBot, type GoldenBot, type GoldenStart } from "./golden-bot.ts";

/** A golden bot behind its HTTP API, on a free port of the loopback address. */
export interface GoldenServer extends GoldenBot {
  server: KnackServer;
  url: string;
}

/** @param token of the API; without one everybody at this machine is the operator */
export async function startGoldenServer({
  token,
  ...start
}: GoldenStart & { token?: string } = {}): Promise<GoldenServer> {
  const bot = createGoldenBot(start);
  const server = createServer({
    app: bot.test.app,
    assets: loadConsoleAssets(),
    version: "1.2.3",
    logger: { error: (fields) => void bot.test.errors.push(fields) },
    metrics: async () => ({ content_type: "text/plain; version=0.0.4", text: "knack_turns 1\n" }),
    security: { host: "127.0.0.1", port: 0, ...(token === undefined ? {} : { token }) },
  });
  const { url } = await server.listen();
  onTestFinished(() => server.close());
  return { ...bot, server, url };
}

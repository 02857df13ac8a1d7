import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChatConnection } from "../../../app/chat/chat-hub.ts";
import { createPersonDirectory } from "../channel/person-directory.ts";
import { createReplyAddresses } from "../channel/reply-addresses.ts";
import { createThreadTitles } from "../channel/thread-titles.ts";
import { createCatchUp } from "../incoming/catch-up.ts";
import { createHome } from "../incoming/home.ts";
import { createSlackPlatform } from "../outgoing/create-slack-platform.ts";
import { createBoltApp, type SlackBolt } from "./create-bolt-app.ts";
import { keepConnected } from "./keep-connected.ts";
import { createClients } from "./sdk-clients.ts";
import { createSlackLogger } from "./slack-logger.ts";
import type { SlackOptions } from "./slack-options.ts";
import { createSlackStatus } from "./slack-status.ts";
import { createTenants } from "./tenants.ts";
import { answerRequest } from "./web-receiver.ts";

/** The bot's line to Slack. */
export interface SlackConnection extends ChatConnection {
  /**
   * Answers requests to `/slack/events`, `/slack/install` and `/slack/oauth_redirect`, whose bodies nobody may have read yet: 404
   * for what is not configured, 503 until it is started. False for paths that do not begin with `/slack/`.
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Connects to Slack over a socket, or is called over HTTP. The SDK is loaded by `start`. */
export function createSlackConnection(options: SlackOptions): SlackConnection {
  const { settings, hub, app, sealed, clock, logger } = options;
  const sdkLogger = createSlackLogger(logger);
  const tenants = createTenants({ settings, sealed, clock, client: createClients(settings, sdkLogger) });
  const { workspaces } = tenants;
  const directory = createPersonDirectory(workspaces, settings.operators, clock);
  const addresses = createReplyAddresses(clock);
  const platform = createSlackPlatform({ settings, workspaces, directory, addresses, clock, logger });
  const intake = hub.connect(platform);
  const home = createHome({ app, intake, workspaces, directory, clock, logger });
  const titles = createThreadTitles((place, title) => platform.nameThread(place, title), logger);
  const context = { titles, intake, workspaces, directory, addresses, home, clock, logger };
  const catchingUp = createCatchUp(context);
  const status = createSlackStatus(settings, workspaces);
  const stopping = new AbortController();
  let bolt: SlackBolt | undefined;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    const failed = (error: unknown, wait: number) => {
      status.lost(error, "bot");
      const fields = { err: error, retry_in_ms: wait, platform: "slack" };
      logger.warn(fields, "Slack cannot be used yet; trying again");
    };
    const uninstalled = async (team: string) => {
      await tenants.uninstalled(team);
      logger.warn({ team, platform: "slack" }, "the app was removed from a Slack workspace");
    };
    const workspace = await tenants.ready({ signal: stopping.signal, failed });
    bolt = await createBoltApp({ ...context, settings, sealed, tenants, sdkLogger, uninstalled });
    await keepConnected(bolt, { status, catchingUp, clock, logger, workspace }, stopping.signal);
  };
  return {
    id: "slack",
    start() {
      running ??= run().catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        status.lost(error, "bot");
        logger.error({ err: error, platform: "slack" }, "the connection to Slack ended unexpectedly");
      });
    },
    async stop() {
      await bolt?.drain();
      stopping.abort();
      await running;
      await catchingUp.settled();
    },
    status: status.read,
    handle: (request, response) => answerRequest(bolt?.web, bolt === undefined, request, response),
  };
}

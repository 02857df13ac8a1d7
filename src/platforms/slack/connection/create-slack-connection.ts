import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, LogLevel } from "@slack/bolt";
import type { ChatConnection } from "../../../app/chat/chat-hub.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import { createPersonDirectory } from "../channel/person-directory.ts";
import { createReplyAddresses } from "../channel/reply-addresses.ts";
import { createThreadTitles } from "../channel/thread-titles.ts";
import { createCatchUp } from "../incoming/catch-up.ts";
import { createHome } from "../incoming/home.ts";
import { createSlackPlatform } from "../outgoing/create-slack-platform.ts";
import { createBoltApp, type SlackBolt } from "./create-bolt-app.ts";
import { createClients } from "./sdk-clients.ts";
import type { SlackOptions } from "./slack-options.ts";
import { createSlackStatus, type SlackStatus } from "./slack-status.ts";
import { createSocketLine } from "./socket-line.ts";
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

/**
 * Slack's own log lines in ours. They are details of the connection: what a person should know is logged by this folder, so
 * errors and warnings of the SDK are `debug` here, and its debug lines, which quote messages and tokens, are dropped.
 */
function createSlackLogger(logger: Log): Logger {
  const write =
    (level: string) =>
    (...parts: unknown[]) => {
      logger.debug({ slack_sdk: level }, parts.map(String).join(" "));
    };
  return {
    debug: () => {},
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    setLevel: () => {},
    getLevel: () => "warn" as LogLevel,
    setName: () => {},
  };
}

interface KeepConnectedDeps {
  status: SlackStatus;
  catchingUp: ReturnType<typeof createCatchUp>;
  clock: Clock;
  logger: Log;
  /** Name of the workspace, if it is one. */
  workspace: string | undefined;
}

/**
 * Keeps the socket open until the signal, and looks for what was missed each time it stands. Over HTTP, where Slack comes to us,
 * it looks once.
 */
async function keepConnected(
  { socket }: SlackBolt,
  { status, catchingUp, clock, logger, workspace }: KeepConnectedDeps,
  signal: AbortSignal,
): Promise<void> {
  let standing = new AbortController();
  const connected = () => {
    standing = new AbortController();
    status.connected(workspace);
    logger.info({ platform: "slack", workspace }, "connected to Slack");
    catchingUp.connected(AbortSignal.any([standing.signal, signal]));
  };
  const lost = (error: unknown) => {
    standing.abort();
    status.lost(error, "app");
    logger.warn({ err: error, platform: "slack" }, "the connection to Slack is lost; trying again");
  };
  if (socket === undefined) connected();
  else await createSocketLine({ client: socket.client, clock, logger, connected, lost }).run(signal);
}

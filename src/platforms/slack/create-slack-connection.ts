import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, LogLevel, SocketModeReceiver } from "@slack/bolt";
import type { ChatConnection } from "../../app/chat/chat-hub.ts";
import { backoff } from "../../base/backoff.ts";
import { errorText } from "../../base/error-text.ts";
import { unlessLate } from "../../base/time-limit.ts";
import type { Clock, Log } from "../../core/ports/storage.ts";
import { createActionTokens } from "./channel/action-tokens.ts";
import { createPersonDirectory } from "./channel/person-directory.ts";
import { createReplyAddresses } from "./channel/reply-addresses.ts";
import { createThreadTitles } from "./channel/thread-titles.ts";
import { createClients } from "./connection/sdk-clients.ts";
import { SlackError, slackCall } from "./connection/slack-call.ts";
import { isInstalledByMany, type SlackOptions, type SlackSettings } from "./connection/slack-options.ts";
import { createTenants } from "./connection/tenants.ts";
import { answerRequest } from "./connection/web-receiver.ts";
import type { Workspaces } from "./connection/workspaces.ts";
import { createBoltApp, openWeb, type SlackBolt } from "./create-bolt-app.ts";
import { createCatchUp } from "./incoming/catch-up.ts";
import { createHome } from "./incoming/home.ts";
import { createSlackPlatform } from "./outgoing/create-slack-platform.ts";

/** The bot's connection to Slack. */
export interface SlackConnection extends ChatConnection {
  /**
   * Answers requests to `/slack/events`, `/slack/install` and `/slack/oauth_redirect`, whose bodies must be unread: with 404 if
   * the path is not configured or the process only sends, with 503 until the connection is started. False for paths outside `/slack/`.
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Connects to Slack over a socket, or is called by Slack over HTTP. `start` loads the SDK. */
export function createSlackConnection(options: SlackOptions): SlackConnection {
  const { settings, hub, clock, logger } = options;
  const sdkLogger = createSlackLogger(logger);
  const tenants = createTenants({ ...options, client: createClients(settings, sdkLogger) });
  const { workspaces } = tenants;
  const directory = createPersonDirectory(workspaces, settings.operators, clock);
  const addresses = createReplyAddresses(options);
  const tokens = createActionTokens(options);
  const platform = createSlackPlatform({ ...options, workspaces, directory, addresses, tokens });
  const intake = hub.connect(platform);
  const home = createHome({ ...options, intake, workspaces, directory });
  const titles = createThreadTitles({ ...options, name: platform.nameThread });
  const own = { intake, workspaces, directory, addresses, tokens, home };
  const context = { ...options, tenants, sdkLogger, titles, ...own };
  const catchingUp = createCatchUp(context);
  const status = createSlackStatus(settings, workspaces);
  const stopping = new AbortController();
  let isStarting = true;
  let bolt: SlackBolt | undefined;
  let running: Promise<void> | undefined;

  const run = async (receives: boolean): Promise<void> => {
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
    if (!receives) {
      if (isInstalledByMany(settings)) await openWeb(context);
      status.sends(workspace);
      return;
    }
    const heldBack = (minute: number) => {
      logger.warn(
        { platform: "slack", minute },
        "Slack sends too many events and holds some back for a minute",
      );
      catchingUp.heldBack(minute);
    };
    bolt = await createBoltApp({ ...context, intake: catchingUp.live, uninstalled, heldBack });
    isStarting = false;
    await keepConnected(bolt, { status, catchingUp, clock, logger, workspace }, stopping.signal);
  };
  return {
    id: "slack",
    start({ receives }) {
      isStarting = receives;
      running ??= run(receives).catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        status.lost(error, "bot");
        logger.error({ err: error, platform: "slack" }, "the connection to Slack ended unexpectedly");
      });
    },
    async stop() {
      catchingUp.leave();
      await bolt?.drain();
      stopping.abort();
      await running;
      await catchingUp.settled();
    },
    status: status.read,
    handle: (request, response) => answerRequest(bolt?.web, isStarting, request, response),
  };
}

/**
 * Writes the SDK's log lines to ours. Its errors and warnings become `debug`, since this folder logs what a person should know;
 * its debug lines, which quote messages and tokens, are dropped.
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
  /** Name of the workspace, if there is only one. */
  workspace: string | undefined;
}

/**
 * Keeps the socket open until the signal, and fetches missed messages each time it is open. Over HTTP, where Slack calls the
 * bot, it fetches them once.
 */
async function keepConnected(
  { socket }: SlackBolt,
  { status, catchingUp, clock, logger, workspace }: KeepConnectedDeps,
  signal: AbortSignal,
): Promise<void> {
  let session = new AbortController();
  const connected = () => {
    session = new AbortController();
    status.connected(workspace);
    logger.info({ platform: "slack", workspace }, "connected to Slack");
    catchingUp.connected(AbortSignal.any([session.signal, signal]));
  };
  const lost = (error: unknown) => {
    session.abort();
    status.lost(error, "app");
    logger.warn({ err: error, platform: "slack" }, "the connection to Slack is lost; trying again");
  };
  if (socket === undefined) connected();
  else await runSocket({ client: socket.client, clock, logger, connected, lost }, signal);
}

/** The state of the connection, in words for a person. */
interface SlackStatus {
  /** @param workspace its name, if there is only one */
  connected(workspace: string | undefined): void;
  /** The token works, and the process only sends. */
  sends(workspace: string | undefined): void;
  /**
   * @param error the reason, if known
   * @param token the token that was used
   */
  lost(error: unknown, token: "bot" | "app"): void;
  read(): { ok: boolean; detail: string };
}

const newBotToken =
  "Install the app again under Install App of its Slack settings, set slack.bot_token, and restart Knack.";
const newAppToken =
  "Make another with connections:write under Basic Information of the app's Slack settings, set slack.app_token, and restart Knack.";

function createSlackStatus(settings: SlackSettings, workspaces: Workspaces): SlackStatus {
  let state: { ok: boolean; detail: string } = { ok: false, detail: "connecting" };
  const single = !isInstalledByMany(settings);
  const way = settings.app_token === undefined ? "Slack calls /slack/events" : "over a socket";
  return {
    connected(workspace) {
      state = { ok: true, detail: `connected${workspace === undefined ? "" : ` to ${workspace}`}, ${way}` };
    },
    sends(workspace) {
      const to = workspace === undefined ? "" : ` to ${workspace}`;
      state = { ok: true, detail: `sends only${to}; other processes of the bot receive` };
    },
    lost(error, token) {
      const detail = error === undefined ? "connection lost, connecting again" : lossReason(error, token);
      state = { ok: false, detail };
    },
    read() {
      const refused = [...workspaces.refused()];
      if (!state.ok || refused.length === 0) return state;
      const teams = refused.map(([team, code]) => `${team} (${code})`).join(", ");
      const advice = single
        ? newBotToken
        : "Install the app there again at /slack/install; other workspaces are not affected.";
      return { ok: false, detail: `Slack refuses the token of ${teams}. ${advice}` };
    },
  };
}

function lossReason(error: unknown, token: "bot" | "app"): string {
  if (error instanceof SlackError && error.deadToken) {
    const advice = token === "bot" ? newBotToken : newAppToken;
    return `Slack refuses the ${token} token: ${error.slack_code}. ${advice}`;
  }
  return errorText(error);
}

type SocketClient = SocketModeReceiver["client"];

interface SocketDeps {
  client: SocketClient;
  clock: Clock;
  logger: Log;
  /** The connection is open; called again after each reconnect. */
  connected(): void;
  /** The connection is gone; `error` says why it could not be opened. */
  lost(error: unknown): void;
}

const waits = { minMs: 500, maxMs: 60_000 };
/** A connection that lasted this long counts as good: the next one is opened at once. Ms. */
const goodAfter = 10_000;
/** Maximum wait for Slack to close the connection, ms. */
const closeTimeoutMs = 2_000;

/**
 * Keeps a Socket Mode connection open until the signal; never rejects. Reconnecting is ours, and switched off in the SDK (5.1): its
 * own attempt rejects without a handler when Slack cannot be reached at that moment, and after a lost network it never tries again.
 */
async function runSocket(
  { client, clock, logger, connected, lost }: SocketDeps,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const since = clock.now();
    let failure: unknown;
    try {
      await holdSocket({ client, clock, logger, connected }, signal);
    } catch (error) {
      failure = error;
      logger.debug({ err: error }, "the Slack socket could not be opened");
    }
    if (signal.aborted) break;
    lost(failure);
    failures = clock.now() - since > goodAfter ? 1 : failures + 1;
    await clock.sleep(backoff(failures, waits), signal).catch(() => {});
  }
  await closeSocket({ client, clock, logger });
}

/** Opens the connection, and resolves when it is gone. */
async function holdSocket(
  { client, clock, logger, connected }: Omit<SocketDeps, "lost">,
  signal: AbortSignal,
): Promise<void> {
  const gone = Promise.withResolvers<"gone">();
  const over = () => gone.resolve("gone");
  client.once("disconnected", over);
  signal.addEventListener("abort", over, { once: true });
  try {
    const started = slackCall("open a connection", () => client.start());
    const first = await Promise.race([started, gone.promise]);
    if (first !== "gone") connected();
    // A connection that opens after the end is closed again.
    else if (signal.aborted)
      void started.then(
        () => closeSocket({ client, clock, logger }),
        () => {},
      );
    await gone.promise;
  } finally {
    client.removeListener("disconnected", over);
    signal.removeEventListener("abort", over);
  }
}

async function closeSocket({
  client,
  clock,
  logger,
}: Pick<SocketDeps, "client" | "clock" | "logger">): Promise<void> {
  try {
    await unlessLate(closeTimeoutMs, clock, client.disconnect());
  } catch (error) {
    logger.debug({ err: error }, "the Slack socket was not closed cleanly");
  }
}

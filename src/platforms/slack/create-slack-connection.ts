import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger, LogLevel, SocketModeReceiver } from "@slack/bolt";
import type { ChatHost } from "../../app/app.ts";
import type { ChatConnection } from "../../app/chat/chat-hub.ts";
import { backoff } from "../../base/backoff.ts";
import { errorText } from "../../base/error-text.ts";
import { unlessLate } from "../../base/time-limit.ts";
import type { Clock, Log } from "../../core/ports/storage.ts";
import { ActionTokens } from "./channel/action-tokens.ts";
import { PersonDirectory } from "./channel/person-directory.ts";
import { ReplyAddresses } from "./channel/reply-addresses.ts";
import { ThreadTitles } from "./channel/thread-titles.ts";
import { createClients } from "./connection/sdk-clients.ts";
import { SlackError, slackCall } from "./connection/slack-call.ts";
import { isInstalledByMany, type SlackSettings } from "./connection/slack-settings.ts";
import { Tenants } from "./connection/tenants.ts";
import { answerRequest } from "./connection/web-receiver.ts";
import type { Workspaces } from "./connection/workspaces.ts";
import { createBoltApp, openWeb, type SlackBolt } from "./create-bolt-app.ts";
import { SlackCatchUp } from "./incoming/catch-up.ts";
import { Home } from "./incoming/home.ts";
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
export function createSlackConnection(options: ChatHost & { settings: SlackSettings }): SlackConnection {
  const { settings, hub, store, sealed, clock, logger } = options;
  const sdkLogger = createSlackLogger(logger);
  const tenants = new Tenants(settings, sealed, clock, createClients(settings, sdkLogger));
  const { workspaces } = tenants;
  const directory = new PersonDirectory(workspaces, settings.operators, clock);
  const tokens = new ActionTokens(sealed, clock, logger);
  const addresses = new ReplyAddresses(sealed, clock, logger);
  const context = { ...options, tenants, sdkLogger, workspaces, directory, tokens, addresses };
  const platform = createSlackPlatform(context, addresses, settings);
  const intake = hub.connect(platform);
  const home = new Home(context, intake, options);
  const titles = new ThreadTitles(store, clock, logger, platform.nameThread);
  const catchingUp = new SlackCatchUp({ ...context, intake });
  const status = new SlackStatus(settings, workspaces);
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
    const workspace = await tenants.ready(stopping.signal, failed);
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
    const parts = { ...context, intake: catchingUp.live, home, titles, uninstalled, heldBack };
    bolt = await createBoltApp(parts);
    isStarting = false;
    let session = new AbortController();
    const connected = () => {
      session = new AbortController();
      status.connected(workspace);
      logger.info({ platform: "slack", workspace }, "connected to Slack");
      catchingUp.connected(AbortSignal.any([session.signal, stopping.signal]));
    };
    const lost = (error: unknown) => {
      session.abort();
      status.lost(error, "app");
      logger.warn({ err: error, platform: "slack" }, "the connection to Slack is lost; trying again");
    };
    // Over HTTP, where Slack calls the bot, what was missed is fetched once.
    if (bolt.socket === undefined) connected();
    else await new SlackSocket(bolt.socket.client, clock, logger).run(connected, lost, stopping.signal);
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
    status: () => status.read(),
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

const newBotToken =
  "Install the app again under Install App of its Slack settings, set slack.bot_token, and restart Knack.";
const newAppToken =
  "Make another with connections:write under Basic Information of the app's Slack settings, set slack.app_token, and restart Knack.";

/** The state of the connection, in words for a person. */
class SlackStatus {
  readonly #settings: SlackSettings;
  readonly #workspaces: Workspaces;
  #state: { ok: boolean; detail: string } = { ok: false, detail: "connecting" };

  constructor(settings: SlackSettings, workspaces: Workspaces) {
    this.#settings = settings;
    this.#workspaces = workspaces;
  }

  /** @param workspace its name, if there is only one */
  connected(workspace: string | undefined): void {
    const to = workspace === undefined ? "" : ` to ${workspace}`;
    const way = this.#settings.app_token === undefined ? "Slack calls /slack/events" : "over a socket";
    this.#state = { ok: true, detail: `connected${to}, ${way}` };
  }

  /** The token works, and the process only sends. */
  sends(workspace: string | undefined): void {
    const to = workspace === undefined ? "" : ` to ${workspace}`;
    this.#state = { ok: true, detail: `sends only${to}; other processes of the bot receive` };
  }

  /**
   * @param error the reason, if known
   * @param token the token that was used
   */
  lost(error: unknown, token: "bot" | "app"): void {
    const detail = error === undefined ? "connection lost, connecting again" : lossReason(error, token);
    this.#state = { ok: false, detail };
  }

  read(): { ok: boolean; detail: string } {
    const refused = [...this.#workspaces.refused()];
    if (!this.#state.ok || refused.length === 0) return this.#state;
    const teams = refused.map(([team, code]) => `${team} (${code})`).join(", ");
    const advice = isInstalledByMany(this.#settings)
      ? "Install the app there again at /slack/install; other workspaces are not affected."
      : newBotToken;
    return { ok: false, detail: `Slack refuses the token of ${teams}. ${advice}` };
  }
}

function lossReason(error: unknown, token: "bot" | "app"): string {
  if (error instanceof SlackError && error.deadToken) {
    const advice = token === "bot" ? newBotToken : newAppToken;
    return `Slack refuses the ${token} token: ${error.slack_code}. ${advice}`;
  }
  return errorText(error);
}

const waits = { minMs: 500, maxMs: 60_000 };
/** A connection that lasted this long counts as good: the next one is opened at once. Ms. */
const goodAfter = 10_000;
/** Maximum wait for Slack to close the connection, ms. */
const closeTimeoutMs = 2_000;

/**
 * A Socket Mode connection. Reconnecting is ours, and switched off in the SDK (5.1): its own attempt rejects without a handler when Slack
 * cannot be reached at that moment, and after a lost network it never tries again.
 */
class SlackSocket {
  readonly #client: SocketModeReceiver["client"];
  readonly #clock: Clock;
  readonly #logger: Log;

  constructor(client: SocketModeReceiver["client"], clock: Clock, logger: Log) {
    this.#client = client;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Keeps the connection open until the signal; never rejects.
   * @param connected the connection is open; called again after each reconnect
   * @param lost the connection is gone; `error` says why it could not be opened
   */
  async run(connected: () => void, lost: (error: unknown) => void, signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const since = this.#clock.now();
      let failure: unknown;
      try {
        await this.#hold(connected, signal);
      } catch (error) {
        failure = error;
        this.#logger.debug({ err: error }, "the Slack socket could not be opened");
      }
      if (signal.aborted) break;
      lost(failure);
      failures = this.#clock.now() - since > goodAfter ? 1 : failures + 1;
      await this.#clock.sleep(backoff(failures, waits), signal).catch(() => {});
    }
    await this.#close();
  }

  /** Opens the connection, and resolves when it is gone. */
  async #hold(connected: () => void, signal: AbortSignal): Promise<void> {
    const gone = Promise.withResolvers<"gone">();
    const over = () => gone.resolve("gone");
    this.#client.once("disconnected", over);
    signal.addEventListener("abort", over, { once: true });
    try {
      const started = slackCall("open a connection", () => this.#client.start());
      const first = await Promise.race([started, gone.promise]);
      if (first !== "gone") connected();
      // A connection that opens after the end is closed again.
      else if (signal.aborted)
        void started.then(
          () => this.#close(),
          () => {},
        );
      await gone.promise;
    } finally {
      this.#client.removeListener("disconnected", over);
      signal.removeEventListener("abort", over);
    }
  }

  async #close(): Promise<void> {
    try {
      await unlessLate(closeTimeoutMs, this.#clock, this.#client.disconnect());
    } catch (error) {
      this.#logger.debug({ err: error }, "the Slack socket was not closed cleanly");
    }
  }
}

import type { App, HTTPReceiver, Logger, Receiver, SocketModeReceiver } from "@slack/bolt";
import { PlatformError } from "../../core/ports/chat-platform.ts";
import type { KeyValue, Log } from "../../core/ports/storage.ts";
import { clientOptions } from "./connection/sdk-clients.ts";
import { isInstalledByMany, type SlackSettings } from "./connection/slack-settings.ts";
import type { InstalledToken, Tenants } from "./connection/tenants.ts";
import { createWebReceiver, isNotInstalled } from "./connection/web-receiver.ts";
import { listenToCommands } from "./incoming/listen-commands.ts";
import { type Listening, listenToEvents } from "./incoming/listen-events.ts";

/** Bolt with our listeners, and the receivers through which events reach it. */
export interface SlackBolt {
  socket: SocketModeReceiver | undefined;
  web: HTTPReceiver | undefined;
  /** Accepts no more events; resolves when the accepted ones are stored. */
  drain(): Promise<void>;
}

/** What Bolt is put together from. */
export interface BoltParts extends Listening {
  settings: SlackSettings;
  sealed: KeyValue;
  tenants: Tenants;
  logger: Log;
  sdkLogger: Logger;
  /** Slack holds back the events of a minute, which began then (ms since the epoch), because there were too many. */
  heldBack(minute: number): void;
}

/** Loads the SDK and puts Bolt together. Nothing is connected yet. */
export async function createBoltApp(parts: BoltParts): Promise<SlackBolt> {
  const { settings, tenants, logger, sdkLogger } = parts;
  const { App } = await import("@slack/bolt");
  const socket = settings.app_token === undefined ? undefined : await createSocket(parts, settings.app_token);
  const web = needsWeb(settings) ? await openWeb(parts) : undefined;

  const storeFirst = new StoreFirst(parts.heldBack);
  const ways: Receiver = {
    init: (app: App) => {
      for (const receiver of [socket, web]) if (receiver !== undefined) storeFirst.attach(receiver, app);
    },
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const bolt = new App({
    receiver: ways,
    authorize: tenants.authorize,
    clientOptions: clientOptions(settings, sdkLogger, "read"),
    logger: sdkLogger,
    // The parser recognises the bot's own messages. Bolt's filter would also drop the event that the bot was invited.
    ignoreSelf: false,
    convoStore: false,
  });
  // A failure must reach the receiver, so that it does not acknowledge the event.
  bolt.error(async (error) => {
    if (isNotInstalled(error)) return;
    logger.warn(
      { err: error, platform: "slack" },
      "a Slack event could not be stored, so it is not acknowledged",
    );
    throw error;
  });
  listenToEvents(bolt, parts);
  listenToCommands(bolt, parts);
  return { socket, web, drain: () => storeFirst.drain() };
}

/** The receiver of requests; with installations, also what renews their tokens. A process that only sends needs that too. */
export async function openWeb(
  parts: Pick<BoltParts, "settings" | "sealed" | "tenants" | "clock" | "sdkLogger">,
): Promise<HTTPReceiver> {
  const web = await createWebReceiver(parts.settings, parts.sealed, parts.clock, parts.sdkLogger);
  if (web.installer !== undefined) parts.tenants.renewWith(renewing(web.installer));
  return web;
}

function needsWeb(settings: SlackSettings): boolean {
  const { app_token, signing_secret } = settings;
  return isInstalledByMany(settings) || (app_token === undefined && signing_secret !== undefined);
}

async function createSocket(
  { settings, sdkLogger }: BoltParts,
  appToken: string,
): Promise<SocketModeReceiver> {
  const { SocketModeReceiver } = await import("@slack/bolt");
  return new SocketModeReceiver({
    appToken,
    logger: sdkLogger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(settings, sdkLogger, "write") },
    // No acknowledgement: Slack delivers the event again.
    processEventErrorHandler: async () => false,
  });
}

/** Bolt's installer renews a token that expires within two hours. Concurrent requests share one renewal. */
function renewing(installer: NonNullable<HTTPReceiver["installer"]>): InstalledToken {
  const asked = new Map<string, ReturnType<InstalledToken>>();
  const ask = async (teamId: string) => {
    try {
      const found = await installer.authorize({
        teamId,
        enterpriseId: undefined,
        isEnterpriseInstall: false,
      });
      const { botToken, botUserId = "", botId = "" } = found;
      return botToken === undefined ? undefined : { token: botToken, self: botUserId, bot: botId };
    } catch (error) {
      if (isNotInstalled(error)) return undefined;
      throw new PlatformError("unavailable", "The token of the Slack workspace could not be read.", {
        cause: error,
      });
    }
  };
  return (team) => {
    const found = asked.get(team) ?? ask(team).finally(() => asked.delete(team));
    asked.set(team, found);
    return found;
  };
}

type ReceiverEvent = Parameters<App["processEvent"]>[0];

/**
 * Bolt acknowledges events before its listeners see them, but an event must be stored first. This sits between a receiver and
 * Bolt and delays the acknowledgement until all listeners are done. If one fails there is none, so that Slack delivers the
 * event again. Listeners acknowledge commands and clicks themselves.
 */
export class StoreFirst {
  readonly #heldBack: (minute: number) => void;
  readonly #running = new Set<Promise<unknown>>();
  #isOpen = true;

  constructor(heldBack: (minute: number) => void) {
    this.#heldBack = heldBack;
  }

  /** Gives a receiver the app it may hand events to. */
  attach(receiver: Receiver, app: App): void {
    const processEvent = async (event: ReceiverEvent): Promise<void> => {
      if (!this.#isOpen)
        throw new PlatformError("unavailable", "Knack is stopping; Slack delivers this again.");
      const work = this.#process(app, event);
      const settled = Promise.allSettled([work]);
      this.#running.add(settled);
      try {
        await work;
      } finally {
        this.#running.delete(settled);
      }
    };
    receiver.init(Object.assign(Object.create(app) as App, { processEvent }));
  }

  /** Accepts no more events; resolves when the accepted ones are done. */
  async drain(): Promise<void> {
    this.#isOpen = false;
    await Promise.all(this.#running);
  }

  async #process(app: App, event: ReceiverEvent): Promise<void> {
    // https://docs.slack.dev/reference/events/app_rate_limited: not an event for Bolt, which would leave it unacknowledged.
    if (event.body.type === "app_rate_limited") {
      this.#heldBack(1_000 * Number(event.body.minute_rate_limited));
      return event.ack();
    }
    if (event.body.type !== "event_callback") return app.processEvent(event);
    let held = false;
    const ack = async () => {
      held = true;
    };
    await app.processEvent({ ...event, ack });
    if (held) await event.ack();
  }
}

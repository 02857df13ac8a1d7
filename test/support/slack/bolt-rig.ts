import { App, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver, webApi } from "@slack/bolt";
import type { SlackServer } from "./slack-server.ts";

/** Silences the SDKs' logs of refused requests, which the tests check themselves. */
const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Otherwise a client retries a refused request for half an hour. */
function clientOptions(slack: SlackServer) {
  return { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true };
}

/** The real client, on the fake; with the token of Acme's bot unless another is given. */
export function webClient(slack: SlackServer, token = "xoxb-T0ACME-first"): webApi.WebClient {
  return new webApi.WebClient(token, { ...clientOptions(slack), logger: quiet });
}

/** The real Bolt app in Socket Mode, connected. It reconnects after 100 ms. */
export async function startSocketApp(slack: SlackServer, prepare: (app: App) => void): Promise<App> {
  const receiver = new SocketModeReceiver({
    appToken: slack.seed.app.app_token,
    clientPingTimeout: 100,
    logger: quiet,
    installerOptions: { clientOptions: clientOptions(slack) },
  });
  const app = createApp(slack, prepare, receiver);
  await app.init();
  await app.start();
  return app;
}

/** The real Bolt app behind its HTTP receiver, and the fake told where that is. */
export async function startHttpApp(slack: SlackServer, prepare: (app: App) => void): Promise<App> {
  const receiver = new HTTPReceiver({
    signingSecret: slack.seed.app.signing_secret,
    logger: quiet,
  });
  const app = createApp(slack, prepare, receiver);
  await app.init();
  const address = (await receiver.start({ port: 0, host: "127.0.0.1" })).address();
  if (typeof address !== "object" || address === null) throw new Error("The receiver has no address.");
  await slack.deliverTo({ url: `http://127.0.0.1:${address.port}/slack/events` });
  return app;
}

function createApp(
  slack: SlackServer,
  prepare: (app: App) => void,
  receiver: SocketModeReceiver | HTTPReceiver,
): App {
  const app = new App({
    token: "xoxb-T0ACME-first",
    receiver,
    clientOptions: clientOptions(slack),
    logger: quiet,
    ignoreSelf: false,
    deferInitialization: true,
  });
  prepare(app);
  return app;
}

/** The error that Slack answers, or `ok`. */
export async function answerOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    return (error as { data?: { error?: string } }).data?.error ?? String(error);
  }
}

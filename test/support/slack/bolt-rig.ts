import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import type { SlackServer } from "./slack-server.ts";

/** Without this a client tries for half an hour what the fake refuses once. */
function clientOptions(slack: SlackServer) {
  return { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true };
}

/** The real client, on the fake; with the token of Acme's bot unless another is given. */
export function webClient(slack: SlackServer, token = "xoxb-T0ACME-first"): WebClient {
  return new WebClient(token, { ...clientOptions(slack), logLevel: LogLevel.ERROR });
}

/** The real Bolt app in Socket Mode, connected. It reconnects after 100 ms. */
export async function startSocketApp(slack: SlackServer, prepare: (app: App) => void): Promise<App> {
  const receiver = new SocketModeReceiver({
    appToken: slack.seed.app.app_token,
    clientPingTimeout: 100,
    logLevel: LogLevel.ERROR,
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
    logLevel: LogLevel.ERROR,
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
    logLevel: LogLevel.ERROR,
    ignoreSelf: false,
    deferInitialization: true,
  });
  prepare(app);
  return app;
}

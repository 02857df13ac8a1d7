import type { IncomingMessage, ServerResponse } from "node:http";
import type { HTTPReceiver, Logger } from "@slack/bolt";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";
import { createInstallationStore, createStateStore } from "./installation-store.ts";
import { scopeMeanings } from "./manifest.ts";
import { clientOptions } from "./sdk-clients.ts";
import type { SlackSettings } from "./slack-settings.ts";

/** Paths that Slack and browsers call. */
const slackPaths = {
  events: "/slack/events",
  install: "/slack/install",
  redirect: "/slack/oauth_redirect",
} as const;

/** Bolt's receiver for signed events and for installations. It does not listen: our server passes requests to it. */
export async function createWebReceiver(
  settings: SlackSettings,
  sealed: KeyValue,
  clock: Clock,
  logger: Logger,
): Promise<HTTPReceiver> {
  const { HTTPReceiver } = await import("@slack/bolt");
  return new HTTPReceiver({
    signingSecret: settings.signing_secret ?? "",
    // Without a secret no signature can be checked, so no events are accepted.
    endpoints: settings.signing_secret === undefined ? [] : [slackPaths.events],
    signatureVerification: settings.signing_secret !== undefined,
    logger,
    ...installation(settings, sealed, clock, logger),
    async processEventErrorHandler({ error, response }) {
      if (!response.headersSent) response.writeHead(isNotInstalled(error) ? 200 : 500).end();
      return false;
    },
    // Not stored within Slack's three seconds: Slack delivers the event again.
    unhandledRequestHandler({ response }) {
      if (!response.headersSent) response.writeHead(503).end();
    },
  });
}

/** Bolt's options for installations; none without an id and secret of the app. */
function installation(settings: SlackSettings, sealed: KeyValue, clock: Clock, logger: Logger) {
  const { client_id, client_secret, public_url, authorize_url } = settings;
  if (client_id === undefined || client_secret === undefined) return {};
  const redirectUri = public_url && `${public_url.replace(/(?<!\/)\/+$/, "")}${slackPaths.redirect}`;
  return {
    clientId: client_id,
    clientSecret: client_secret,
    scopes: Object.keys(scopeMeanings),
    installationStore: createInstallationStore(sealed),
    ...(redirectUri && { redirectUri }),
    installerOptions: {
      installPath: slackPaths.install,
      redirectUriPath: slackPaths.redirect,
      renderHtmlForInstallPath: installPage,
      stateStore: createStateStore(sealed, clock),
      clientOptions: clientOptions(settings, logger, "read"),
      ...(authorize_url && { authorizationUrl: authorize_url }),
    },
  };
}

/** Whether an event came from a workspace that has not installed the app. Another delivery would not help. */
export function isNotInstalled(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = original(each)) {
    if (each instanceof PlatformError) return each.code === "gone";
  }
  return false;
}

function original(error: Error): unknown {
  return "original" in error ? error.original : error.cause;
}

/** For the installation pages: they load nothing, cannot be framed, and never send their address, which contains a code. */
const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/**
 * Passes a request to the receiver. False for paths outside `/slack/`. Unknown and unconfigured paths are answered with 404,
 * and all paths with 503 until the receiver is there.
 */
export function answerRequest(
  receiver: HTTPReceiver | undefined,
  isStarting: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  if (!path.startsWith("/slack/")) return false;
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
  if (receiver === undefined) {
    response.writeHead(isStarting ? 503 : 404).end();
    return true;
  }
  try {
    receiver.requestListener(request, response);
  } catch {
    // Bolt throws for unknown paths and methods.
    response.writeHead(404).end();
  }
  return true;
}

/** The page from which a person adds the app to their workspace. Loads nothing from elsewhere. */
function installPage(url: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Add Knack to Slack</title>
</head>
<body>
<h1>Add Knack to Slack</h1>
<p>Knack gives a channel an agent with skills. Slack shows you what it may do before anything is installed.</p>
<p><a href="${escaped(url)}">Add to Slack</a></p>
<p>The link works once, for ten minutes.</p>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

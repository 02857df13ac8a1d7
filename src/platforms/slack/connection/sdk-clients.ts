import type { Logger, webApi } from "@slack/bolt";
import type { SlackSettings } from "./slack-settings.ts";

export type WebClient = webApi.WebClient;

/** Makes a client. @param team the workspace that each call names, for the token of an organisation */
export type MakeClient = (token: string, purpose: "read" | "write", team?: string) => Promise<WebClient>;

/** Timeout of a Web API request, ms. */
const requestTimeoutMs = 20_000;

/**
 * Options of clients. The SDK would retry for half an hour, and wait silently at a rate limit. Here a write is tried once and a
 * limit is thrown at once: deliveries have their own retries and must know what was posted.
 */
export function clientOptions(
  settings: SlackSettings,
  logger: Logger,
  purpose: "read" | "write",
): webApi.WebClientOptions {
  const retries = purpose === "read" ? (settings.read_retries ?? 2) : 0;
  return {
    slackApiUrl: settings.api_url,
    logger,
    timeout: requestTimeoutMs,
    rejectRateLimitedCalls: true,
    retryConfig: { retries, minTimeout: 200, maxTimeout: 2_000 },
  };
}

/** Makes clients; loads the SDK with the first one. */
export function createClients(settings: SlackSettings, logger: Logger): MakeClient {
  return async (token, purpose, team) => {
    const { webApi } = await import("@slack/bolt");
    const options = clientOptions(settings, logger, purpose);
    return new webApi.WebClient(token, { ...options, ...(team && { teamId: team }) });
  };
}

import { type Logger, LogLevel, webApi } from "@slack/bolt";
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

/**
 * The real client, on the fake; with the token of Acme's bot unless another is given. It retries nothing: the default is half an
 * hour for a refused request.
 */
export function webClient({ apiUrl }: SlackServer, token = "xoxb-T0ACME-first"): webApi.WebClient {
  const once = { retryConfig: { retries: 0 }, rejectRateLimitedCalls: true };
  return new webApi.WebClient(token, { slackApiUrl: apiUrl, ...once, logger: quiet });
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

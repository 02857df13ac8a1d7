import type { webApi } from "@slack/bolt";
import { z } from "zod";
import { errorText } from "../../base/error-text.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import { optionalScopes, scopeMeanings } from "./connection/manifest.ts";
import { type DrawnMessage, renderMessage } from "./outgoing/render-message.ts";

/** One thing that was checked against Slack. */
export interface SlackFinding {
  name: "bot token" | "app token" | "scopes" | "blocks";
  status: "ok" | "warning" | "error";
  detail: string;
  /** What to do, as a sentence. */
  advice?: string;
}

export interface SlackTokens {
  bot_token?: string | undefined;
  app_token?: string | undefined;
  api_url: string;
}

/** Checks the tokens with Slack: their owners, and whether they have the scopes the bot needs. Never throws. */
export async function checkSlack({ bot_token, app_token, api_url }: SlackTokens): Promise<SlackFinding[]> {
  const {
    webApi: { WebClient, LogLevel },
  } = await import("@slack/bolt");
  // No retries: a person waits for the answer.
  const client = new WebClient(undefined, {
    slackApiUrl: api_url,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logLevel: LogLevel.ERROR,
    logger: silent(LogLevel.ERROR),
  });
  const bot = bot_token === undefined ? [] : await checkBotToken(client, bot_token);
  const app = app_token === undefined ? [] : [await checkAppToken(client, app_token)];
  return [...bot, ...app];
}

function silent(level: webApi.LogLevel): webApi.Logger {
  const nothing = () => {};
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    setLevel: nothing,
    setName: nothing,
    getLevel: () => level,
  };
}

async function checkBotToken(client: webApi.WebClient, token: string): Promise<SlackFinding[]> {
  const name = "bot token";
  try {
    const { team, user, response_metadata } = await client.auth.test({ token });
    const granted = response_metadata?.scopes ?? [];
    const found: SlackFinding[] = [{ name, status: "ok", detail: `@${user} in ${team}` }, scopes(granted)];
    return [...found, await checkBlocks(client, token)];
  } catch (error) {
    return [await failure(name, error, "OAuth & Permissions (begins with xoxb-)")];
  }
}

/** An answer with everything that Slack may refuse. */
const sample: DrawnMessage = {
  markdown: "| Month | Orders |\n|---|---|\n| January | 12 |\n| February | 19 |",
  progress: {
    title: "Working on it",
    markdown: "",
    steps: [{ id: "1", title: "Reading orders.csv", state: "ok", note: "2 rows" }],
    done: false,
  },
  charts: [
    {
      kind: "bar",
      title: "Orders",
      categories: ["January", "February"],
      series: [{ name: "Orders", values: [12, 19] }],
    },
  ],
};

/** Asks Slack whether the workspace takes the blocks of answers. Where it cannot be asked, answers find it out. */
async function checkBlocks(client: webApi.WebClient, token: string): Promise<SlackFinding> {
  const name = "blocks";
  const { blocks } = renderMessage(sample, "data");
  const taken: SlackFinding = {
    name,
    status: "ok",
    detail: "Slack takes the tables, charts and plans of answers",
  };
  try {
    await client.apiCall("blocks.validate", { token, blocks });
    return taken;
  } catch (error) {
    const {
      webApi: { WebAPIPlatformError },
    } = await import("@slack/bolt");
    const data = error instanceof WebAPIPlatformError ? error.data : undefined;
    if (data === undefined || data.error === "unknown_method" || data.error === "ratelimited")
      return { name, status: "ok", detail: "Slack did not say whether it takes tables, charts and plans" };
    const problems = refusedSchema.parse(data).errors.map(({ pointer, message }) => `${pointer}: ${message}`);
    const advice = "Answers are sent in simpler blocks where Slack refuses these.";
    const detail = `Slack refuses blocks of answers: ${problems.join("; ") || data.error}`;
    return { name, status: "warning", detail: beginningOf(detail, 500), advice };
  }
}

const refusedSchema = z.looseObject({
  errors: z.array(z.looseObject({ pointer: z.string().catch(""), message: z.string().catch("") })).catch([]),
});

function scopes(granted: readonly string[]): SlackFinding {
  const name = "scopes";
  const missing = Object.entries(scopeMeanings).filter(([scope]) => !granted.includes(scope));
  if (missing.length === 0)
    return { name, status: "ok", detail: `all ${Object.keys(scopeMeanings).length} that are needed` };
  const list = missing.map(([scope, meaning]) => `${scope} (without it ${meaning})`).join("; ");
  const advice =
    "Add them under OAuth & Permissions of the Slack app, or paste config/slack-manifest.yaml under App Manifest; then install the app again.";
  const status = missing.every(([scope]) => optionalScopes.has(scope)) ? "warning" : "error";
  return { name, status, detail: `missing: ${list}`, advice };
}

async function checkAppToken(client: webApi.WebClient, token: string): Promise<SlackFinding> {
  const name = "app token";
  try {
    await client.apps.connections.open({ token });
    return { name, status: "ok", detail: "Socket Mode can be used" };
  } catch (error) {
    return failure(
      name,
      error,
      "Basic Information → App-Level Tokens (begins with xapp-, scope connections:write)",
    );
  }
}

async function failure(name: SlackFinding["name"], error: unknown, where: string): Promise<SlackFinding> {
  const {
    webApi: { WebAPIPlatformError, WebAPIRateLimitedError },
  } = await import("@slack/bolt");
  if (error instanceof WebAPIRateLimitedError) {
    const advice = `Try again in ${error.retryAfter} s.`;
    return { name, status: "warning", detail: "Slack limits the bot's requests right now", advice };
  }
  if (error instanceof WebAPIPlatformError) {
    const { error: code } = error.data;
    return { name, status: "error", detail: `Slack refuses it: ${code}`, advice: adviceOn(code, where) };
  }
  const reason = errorText(error);
  const advice = "Check the network, a proxy in between, and SLACK_API_URL.";
  return { name, status: "error", detail: `Slack cannot be reached: ${reason}`, advice };
}

function adviceOn(code: string, where: string): string {
  switch (code) {
    case "invalid_auth":
    case "not_authed":
    case "not_allowed_token_type":
      return `Copy the token again from ${where}.`;
    case "token_revoked":
    case "account_inactive":
    case "token_expired":
      return `It was revoked. Install the app again, and copy the new token from ${where}.`;
    case "missing_scope":
      return `It has too few scopes. Make a new one: ${where}.`;
    default:
      return `https://docs.slack.dev/reference/methods explains ${code}.`;
  }
}

import { PlatformError, type PlatformErrorCode } from "../../../core/ports/chat-platform.ts";

/** The meaning of the Web API's error codes (docs.slack.dev, errors of each method). Others are `invalid`. */
const codes: Record<string, PlatformErrorCode> = {
  ...same("unavailable", [
    "fatal_error",
    "internal_error",
    "request_timeout",
    "service_unavailable",
    "team_added_to_org",
  ]),
  ...same("rate_limited", ["ratelimited", "rate_limited", "message_limit_exceeded"]),
  ...same("gone", [
    "channel_not_found",
    "file_deleted",
    "file_not_found",
    "is_archived",
    "message_not_found",
    "not_in_channel",
    "thread_not_found",
    "user_not_found",
    "users_not_found",
  ]),
  ...same("forbidden", [
    "access_denied",
    "account_inactive",
    "cannot_dm_bot",
    "cant_delete_message",
    "cant_update_message",
    "ekm_access_denied",
    "invalid_auth",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "not_authed",
    "org_login_required",
    "restricted_action",
    "restricted_action_read_only_channel",
    "restricted_action_thread_only_channel",
    "team_access_not_granted",
    "token_expired",
    "token_revoked",
    "user_disabled",
  ]),
};

function same(meaning: PlatformErrorCode, names: readonly string[]): Record<string, PlatformErrorCode> {
  return Object.fromEntries(names.map((name) => [name, meaning]));
}

/** Error codes of a token that no longer works. */
const deadToken = new Set([
  "account_inactive",
  "invalid_auth",
  "not_authed",
  "token_expired",
  "token_revoked",
]);

/** A request that Slack refused, with Slack's code in addition to ours. */
export class SlackError extends PlatformError {
  /** Slack's code, such as `not_in_channel`; undefined when Slack did not answer. */
  readonly slack_code: string | undefined;
  constructor(
    code: PlatformErrorCode,
    message: string,
    options: { cause: unknown; slack_code?: string | undefined; retryAfterMs?: number | undefined },
  ) {
    super(code, message, { cause: options.cause, retryAfterMs: options.retryAfterMs });
    this.slack_code = options.slack_code;
  }

  /** Whether the token of the workspace no longer works. */
  get deadToken(): boolean {
    return this.slack_code !== undefined && deadToken.has(this.slack_code);
  }
}

/** Whether this is Slack's refusal with one of these codes. */
export function refusedWith(error: unknown, ...slackCodes: string[]): boolean {
  return error instanceof SlackError && slackCodes.includes(error.slack_code ?? "");
}

/** Resolves as `work` does, or to undefined when Slack refuses with one of these codes. */
export async function unlessRefused<T>(
  slackCodes: readonly string[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (refusedWith(error, ...slackCodes)) return undefined;
    throw error;
  }
}

/** For `catch`: returns `value` for a `PlatformError`, and rethrows any other error. */
export function fallbackTo<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PlatformError) return value;
    throw error;
  };
}

/**
 * Calls the Web API.
 * @param what completes "Slack could not …": `post the message`
 * @throws SlackError
 */
export async function slackCall<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw await asSlackError(what, error);
  }
}

async function asSlackError(what: string, error: unknown): Promise<PlatformError> {
  if (error instanceof PlatformError) return error;
  const { webApi } = await import("@slack/bolt");
  if (error instanceof webApi.WebAPIPlatformError) {
    const { error: slackCode, ...rest } = error.data;
    return new SlackError(codes[slackCode] ?? "invalid", sentence(what, slackCode, rest), {
      cause: error,
      slack_code: slackCode,
    });
  }
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return new SlackError(
      "rate_limited",
      `Slack asked to wait ${error.retryAfter} s before it lets me ${what}.`,
      {
        cause: error,
        retryAfterMs: error.retryAfter * 1_000,
      },
    );
  }
  const status = error instanceof webApi.WebAPIHTTPError ? error.statusCode : undefined;
  const passes = status === undefined || status >= 500 || status === 408 || status === 429;
  const why = status === undefined ? "it did not answer" : `it answered HTTP ${status}`;
  return new SlackError(passes ? "unavailable" : "invalid", `Slack could not ${what}: ${why}.`, {
    cause: error,
    // Slack never answers this, but servers that imitate it do.
    slack_code: status === 404 ? "unknown_method" : undefined,
  });
}

function sentence(what: string, code: string, rest: object): string {
  const needed = "needed" in rest && typeof rest.needed === "string" ? ` (needed: ${rest.needed})` : "";
  const advice = deadToken.has(code)
    ? " The token of this workspace no longer works: install the app again and set the new token."
    : code === "missing_scope"
      ? " Add the scope under OAuth & Permissions and install the app again."
      : code === "not_in_channel" || code === "channel_not_found"
        ? " I am not in that channel: invite me."
        : "";
  return `Slack would not ${what}: ${code}${needed}.${advice}`;
}

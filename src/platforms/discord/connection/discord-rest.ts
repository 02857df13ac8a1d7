import type { RawFile, REST } from "discord.js";
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { PlatformError, type PlatformErrorCode } from "../../../core/ports/chat-platform.ts";
import type { DiscordSettings } from "./discord-settings.ts";

interface RestRequest {
  body?: unknown;
  files?: RawFile[];
  /** An array repeats the parameter; undefined leaves it out. */
  query?: Record<string, string | number | string[] | undefined>;
  /** False for routes that carry their own token (interactions). Default true. */
  auth?: boolean;
  signal?: AbortSignal;
}

type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Maximum rate limit that is waited out here, ms; a longer one is thrown. */
const maxWait = 10_000;

/** Discord's REST API. Waits out short rate limits, and loads discord.js with the first request. */
export class DiscordRest {
  readonly #settings: Pick<DiscordSettings, "token" | "api_url">;
  #loading: ReturnType<typeof load> | undefined;

  constructor(settings: Pick<DiscordSettings, "token" | "api_url">) {
    this.#settings = settings;
  }

  /** @param path without `/api/v10`. @throws DiscordProblem */
  async request<T>(method: RestMethod, path: `/${string}`, request: RestRequest = {}): Promise<T> {
    this.#loading ??= load(this.#settings).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    const { rest, classes } = await this.#loading;
    const { query, ...more } = request;
    const parameters = Object.entries(query ?? {}).flatMap(([key, value]) =>
      [value ?? []].flat().map((each): [string, string] => [key, String(each)]),
    );
    try {
      return (await rest.request({
        ...more,
        ...(query && { query: new URLSearchParams(parameters) }),
        fullRoute: path,
        method: method as never,
      })) as T;
    } catch (error) {
      throw discordProblem(error, classes);
    }
  }

  /** Stops its timers. */
  stop(): void {
    void this.#loading?.then(
      ({ rest }) => {
        rest.clearHandlerSweeper();
        rest.clearHashSweeper();
      },
      () => undefined,
    );
  }
}

async function load({ token, api_url: api }: Pick<DiscordSettings, "token" | "api_url">) {
  const { DiscordAPIError, HTTPError, RateLimitError, REST: Rest } = await import("discord.js");
  const rest: REST = new Rest({
    version: "10",
    ...(api && { api }),
    timeout: 15_000,
    retries: 1,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > maxWait,
  }).setToken(token);
  return { rest, classes: { DiscordAPIError, HTTPError, RateLimitError } };
}

/**
 * Resolves as the request does, or to undefined when Discord refuses it with one of these codes of ours, or of Discord's JSON error codes;
 * without codes, when it fails at all.
 */
export async function unlessRefused<T>(
  request: Promise<T>,
  ...codes: (PlatformErrorCode | RESTJSONErrorCodes)[]
): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const isExpected =
      error instanceof DiscordProblem &&
      (codes.length === 0 || codes.some((code) => code === error.code || code === error.discordCode));
    if (isExpected) return undefined;
    throw error;
  }
}

/** A failed request: Discord refused it, or could not be reached. */
export class DiscordProblem extends PlatformError {
  /** One of Discord's JSON error codes; undefined without an answer of the API. */
  readonly discordCode: number | undefined;
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  constructor(
    code: PlatformErrorCode,
    message: string,
    options: Partial<Pick<DiscordProblem, "cause" | "retryAfterMs" | "discordCode" | "status">> = {},
  ) {
    super(code, message, options);
    this.discordCode = options.discordCode;
    this.status = options.status;
  }
}

/** The error classes of discord.js, which is loaded late. */
type ErrorClasses = Awaited<ReturnType<typeof load>>["classes"];

/** Turns an error of a request into one the app understands. */
function discordProblem(error: unknown, classes: ErrorClasses): DiscordProblem {
  if (error instanceof DiscordProblem) return error;
  if (error instanceof classes.RateLimitError) {
    const message = "Discord asks to wait before more is sent. It is tried again.";
    return new DiscordProblem("rate_limited", message, { cause: error, retryAfterMs: error.retryAfter });
  }
  if (error instanceof classes.DiscordAPIError) {
    const number = Number(error.code);
    const refusal = `Discord refused: ${error.message.split("\n")[0]} (${error.code}).`;
    const message = [refusal, advice[number]].filter(Boolean).join(" ");
    return new DiscordProblem(codeFor(number, error.status), message, {
      cause: error,
      discordCode: Number.isNaN(number) ? undefined : number,
      status: error.status,
    });
  }
  const status = error instanceof classes.HTTPError ? error.status : 0;
  const message =
    status > 0
      ? `Discord has a problem (HTTP ${status}). It is tried again.`
      : "Discord cannot be reached. It is tried again.";
  return new DiscordProblem(status === 413 ? "too_large" : "unavailable", message, { cause: error });
}

function codeFor(discordCode: number, status: number): PlatformErrorCode {
  if (discordCode === RESTJSONErrorCodes.RequestEntityTooLarge || status === 413) return "too_large";
  if (blockedByAutoMod.includes(discordCode)) return "blocked";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "forbidden";
  if (status === 404) return "gone";
  return status >= 500 ? "unavailable" : "invalid";
}

const blockedByAutoMod: readonly number[] = [
  RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration,
  RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration,
];
const autoMod = "A moderation rule of this server (AutoMod) forbids something in it.";

/** What to do after a refusal, by Discord's JSON error code. */
const advice: Readonly<Record<number, string>> = {
  [RESTJSONErrorCodes.MissingPermissions]:
    "Give the bot's role the permission in the channel's settings; `knack doctor --live` lists what is missing.",
  [RESTJSONErrorCodes.MissingAccess]: "Let the bot's role see the channel, or invite the bot again.",
  [RESTJSONErrorCodes.CannotSendMessagesToThisUser]:
    "The person takes no direct messages of this server's members.",
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread]:
    "The thread is archived: a message in it opens it again.",
  [RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel]:
    "It holds posts and no messages of its own, and I begin no posts: write in one of them.",
  [RESTJSONErrorCodes.MaximumNumberOfPinsReachedForTheChannel]:
    "The channel has as many pins as Discord allows: unpin one.",
  [RESTJSONErrorCodes.MaximumNumberOfReactionsReached]:
    "The message has as many kinds of reactions as Discord allows.",
  [RESTJSONErrorCodes.RequestEntityTooLarge]: "Send a smaller file.",
  [RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration]: autoMod,
  [RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration]: autoMod,
};

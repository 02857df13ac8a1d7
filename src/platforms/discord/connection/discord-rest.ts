import type { RawFile, REST } from "discord.js";
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { PlatformError, type PlatformErrorCode } from "../../../core/ports/chat-platform.ts";

interface RestRequest {
  body?: unknown;
  files?: RawFile[];
  /** An array repeats the parameter. */
  query?: Record<string, string | number | readonly string[]>;
  /** False for routes that carry their own token (interactions). Default true. */
  auth?: boolean;
  signal?: AbortSignal;
}

/** Discord's REST API. Waits out short rate limits. */
export interface DiscordRest {
  /** @param path without `/api/v10`. @throws DiscordProblem */
  request<T>(method: RestMethod, path: `/${string}`, request?: RestRequest): Promise<T>;
  /** Stops its timers. */
  stop(): void;
}

type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Maximum rate limit that is waited out here, ms; a longer one is thrown. */
const maxWait = 10_000;

/** @param options.api e.g. `https://discord.com/api`; undefined for Discord's own */
export function createDiscordRest(options: { token: string; api: string | undefined }): DiscordRest {
  let loading: ReturnType<typeof load> | undefined;
  const ready = () => {
    loading ??= load(options).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    async request<T>(method: RestMethod, path: `/${string}`, request: RestRequest = {}) {
      const { rest, classes } = await ready();
      const { query, ...more } = request;
      const parameters = Object.entries(query ?? {}).flatMap(([key, value]) =>
        (typeof value === "object" ? value : [value]).map((each): [string, string] => [key, String(each)]),
      );
      try {
        return (await rest.request({
          ...more,
          fullRoute: path,
          method: method as never,
          ...(query === undefined ? {} : { query: new URLSearchParams(parameters) }),
        })) as T;
      } catch (error) {
        throw discordProblem(error, classes);
      }
    },
    stop() {
      void loading?.then(
        ({ rest }) => {
          rest.clearHandlerSweeper();
          rest.clearHashSweeper();
        },
        () => undefined,
      );
    },
  };
}

async function load({ token, api }: { token: string; api: string | undefined }) {
  const { DiscordAPIError, HTTPError, RateLimitError, REST: Rest } = await import("discord.js");
  const rest: REST = new Rest({
    version: "10",
    ...(api === undefined ? {} : { api }),
    timeout: 15_000,
    retries: 1,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > maxWait,
  }).setToken(token);
  return { rest, classes: { DiscordAPIError, HTTPError, RateLimitError } };
}

/** Resolves as the request does, or to undefined when Discord refuses it in an expected way. */
export async function unlessRefused<T>(
  request: Promise<T>,
  isExpected: (problem: DiscordProblem) => boolean,
): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof DiscordProblem && isExpected(error)) return undefined;
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
    options: {
      cause?: unknown;
      retryAfterMs?: number;
      discordCode?: number | undefined;
      status?: number | undefined;
    } = {},
  ) {
    super(code, message, options);
    this.discordCode = options.discordCode;
    this.status = options.status;
  }
}

/** The error classes of discord.js. It is loaded late, so they come as an argument. */
interface ErrorClasses {
  DiscordAPIError: new (...args: never[]) => Error & { code: number | string; status: number };
  HTTPError: new (...args: never[]) => Error & { status: number };
  RateLimitError: new (...args: never[]) => Error & { retryAfter: number };
}

/** Turns an error of a request into one the app understands. */
function discordProblem(error: unknown, classes: ErrorClasses): DiscordProblem {
  if (error instanceof DiscordProblem) return error;
  if (error instanceof classes.RateLimitError) {
    const message = "Discord asks to wait before more is sent. It is tried again.";
    return new DiscordProblem("rate_limited", message, { cause: error, retryAfterMs: error.retryAfter });
  }
  if (error instanceof classes.DiscordAPIError) {
    const number = Number(error.code);
    const message = `Discord refused: ${error.message.split("\n")[0]} (${error.code}).${adviceFor(number)}`;
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
  if (isBlockedByAutoMod(discordCode)) return "blocked";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "forbidden";
  if (status === 404) return "gone";
  return status >= 500 ? "unavailable" : "invalid";
}

function isBlockedByAutoMod(discordCode: number): boolean {
  return (
    discordCode === RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration ||
    discordCode === RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration
  );
}

function adviceFor(discordCode: number): string {
  switch (discordCode) {
    case RESTJSONErrorCodes.MissingPermissions:
      return " Give the bot's role the permission in the channel's settings; `knack doctor --live` lists what is missing.";
    case RESTJSONErrorCodes.MissingAccess:
      return " Let the bot's role see the channel, or invite the bot again.";
    case RESTJSONErrorCodes.CannotSendMessagesToThisUser:
      return " The person takes no direct messages of this server's members.";
    case RESTJSONErrorCodes.InvalidActionOnArchivedThread:
      return " The thread is archived: a message in it opens it again.";
    case RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel:
      return " It holds posts and no messages of its own, and I begin no posts: write in one of them.";
    case RESTJSONErrorCodes.MaximumNumberOfPinsReachedForTheChannel:
      return " The channel has as many pins as Discord allows: unpin one.";
    case RESTJSONErrorCodes.MaximumNumberOfReactionsReached:
      return " The message has as many kinds of reactions as Discord allows.";
    case RESTJSONErrorCodes.RequestEntityTooLarge:
      return " Send a smaller file.";
    case RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration:
    case RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration:
      return " A moderation rule of this server (AutoMod) forbids something in it.";
    default:
      return "";
  }
}

import { PlatformError, type PlatformErrorCode } from "../../../core/ports/chat-platform.ts";
import { errorCodes } from "./discord-facts.ts";

/** What Discord, or the way to it, answered instead of doing something. */
export class DiscordProblem extends PlatformError {
  /** Of Discord's list of JSON error codes; undefined when no answer of the API came. */
  readonly discordCode: number | undefined;
  /** Of HTTP; undefined when no answer came. */
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

/** The classes of errors that discord.js throws; it is loaded late, so they come as an argument. */
export interface ErrorClasses {
  DiscordAPIError: new (...args: never[]) => Error & { code: number | string; status: number };
  HTTPError: new (...args: never[]) => Error & { status: number };
  RateLimitError: new (...args: never[]) => Error & { retryAfter: number };
}

/** Turns what a request threw into what the app understands. */
export function discordProblem(error: unknown, classes: ErrorClasses): DiscordProblem {
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
  if (discordCode === errorCodes.fileTooLarge || status === 413) return "too_large";
  if (isBlockedByAutoMod(discordCode)) return "blocked";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "forbidden";
  if (status === 404) return "gone";
  return status >= 500 ? "unavailable" : "invalid";
}

function isBlockedByAutoMod(discordCode: number): boolean {
  return discordCode === errorCodes.blockedByAutoMod || discordCode === errorCodes.titleBlockedByAutoMod;
}

function adviceFor(discordCode: number): string {
  switch (discordCode) {
    case errorCodes.missingPermissions:
      return " Give the bot's role the permission in the channel's settings; `knack doctor --live` lists what is missing.";
    case errorCodes.missingAccess:
      return " Let the bot's role see the channel, or invite the bot again.";
    case errorCodes.cannotMessageUser:
      return " The person takes no direct messages of this server's members.";
    case errorCodes.archivedThread:
      return " The thread is archived: a message in it opens it again.";
    case errorCodes.noTextChannel:
      return " It holds posts and no messages of its own, and I begin no posts: write in one of them.";
    case errorCodes.tooManyPins:
      return " The channel has as many pins as Discord allows: unpin one.";
    case errorCodes.tooManyReactions:
      return " The message has as many kinds of reactions as Discord allows.";
    case errorCodes.fileTooLarge:
      return " Send a smaller file.";
    case errorCodes.blockedByAutoMod:
    case errorCodes.titleBlockedByAutoMod:
      return " A moderation rule of this server (AutoMod) forbids something in it.";
    default:
      return "";
  }
}

import type { Json } from "./json.ts";

/** A refusal in Discord's form: HTTP status, its numeric error code, and a tree of field errors where it has one. */
export class ApiError extends Error {
  readonly status: number;
  readonly number: number;
  readonly code = "discord_api_error";
  readonly errors: Json | undefined;

  constructor(status: number, number: number, message: string, errors?: Json) {
    super(message);
    this.status = status;
    this.number = number;
    this.errors = errors;
  }

  body(): Json {
    const { message, number, errors } = this;
    return errors === undefined ? { message, code: number } : { message, code: number, errors };
  }
}

/** The refusals the fake knows. Numbers and texts: Discord reference, "JSON Error Codes". */
export const refusals = {
  unauthorized: () => new ApiError(401, 0, "401: Unauthorized"),
  notFound: () => new ApiError(404, 0, "404: Not Found"),
  methodNotAllowed: () => new ApiError(405, 0, "405: Method Not Allowed"),
  tooManyFollowUps: () =>
    new ApiError(400, 40094, "This interaction has hit the maximum number of follow up messages"),
  unknownChannel: () => new ApiError(404, 10003, "Unknown Channel"),
  unknownGuild: () => new ApiError(404, 10004, "Unknown Guild"),
  unknownMember: () => new ApiError(404, 10007, "Unknown Member"),
  unknownMessage: () => new ApiError(404, 10008, "Unknown Message"),
  unknownUser: () => new ApiError(404, 10013, "Unknown User"),
  unknownEmoji: () => new ApiError(400, 10014, "Unknown Emoji"),
  unknownWebhook: () => new ApiError(404, 10015, "Unknown Webhook"),
  unknownInteraction: () => new ApiError(404, 10062, "Unknown interaction"),
  tooLarge: () => new ApiError(413, 40005, "Request entity too large"),
  alreadyAcknowledged: () => new ApiError(400, 40060, "Interaction has already been acknowledged."),
  missingAccess: () => new ApiError(403, 50001, "Missing Access"),
  notYours: () => new ApiError(403, 50005, "Cannot edit a message authored by another user"),
  emptyMessage: () => new ApiError(400, 50006, "Cannot send an empty message"),
  closedDms: () => new ApiError(403, 50007, "Cannot send messages to this user"),
  notAText: () => new ApiError(400, 50008, "Cannot send messages in a non-text channel"),
  missingPermissions: () => new ApiError(403, 50013, "Missing Permissions"),
  wrongChannelType: () => new ApiError(400, 50024, "Cannot execute action on this channel type"),
  invalidWebhookToken: () => new ApiError(401, 50027, "Invalid Webhook Token"),
  archivedThread: () =>
    new ApiError(
      400,
      50083,
      "Tried to perform an operation on an archived thread, such as editing a message or adding a user to the thread",
    ),
  unknownReference: () =>
    new ApiError(400, 50035, "Invalid Form Body", {
      message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE", message: "Unknown message" }] },
    }),
  badLimit: (most: number) =>
    new ApiError(400, 50035, "Invalid Form Body", {
      limit: {
        _errors: [{ code: "NUMBER_TYPE_MAX", message: `int value should be between 1 and ${most}.` }],
      },
    }),
  invalidJson: () => new ApiError(400, 50109, "The request body contains invalid JSON."),
  noHistoryForReply: () =>
    new ApiError(400, 160002, "You cannot reply without permission to read message history"),
  blockedByAutoMod: () => new ApiError(400, 200000, "Message was blocked by automatic moderation"),
  titleBlockedByAutoMod: () => new ApiError(400, 200001, "Title was blocked by automatic moderation"),
  threadExists: () => new ApiError(400, 160004, "A thread has already been created for this message"),
};

import { z } from "zod";
import { attachmentSchema, fitting } from "./said-text.ts";

/** The `event_type` of the metadata by which the bot finds its own messages. */
export const metadataType = "knack_message";

export const fileSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  /** `slack_audio` is a voice clip recorded in Slack. */
  subtype: z.string().nullish(),
  duration_ms: z.number().nullish(),
  url_private_download: z.string().nullish(),
  url_private: z.string().nullish(),
  /** Slack's own JPEG or PNG of a picture; the number is its maximum width and height in pixels. */
  thumb_1024: z.string().nullish(),
  thumb_720: z.string().nullish(),
  thumb_480: z.string().nullish(),
  /** `tombstone` is a deleted file. */
  mode: z.string().nullish(),
});
export type SlackFile = z.infer<typeof fileSchema>;

/** What a person has open beside the conversation with the app (docs.slack.dev/reference/events/app_context_changed). */
export const appContextSchema = z
  .looseObject({
    entities: fitting(
      z.looseObject({
        type: z.string(),
        value: z.union([z.string(), z.looseObject({ message_ts: z.string(), channel_id: z.string() })]),
      }),
    ),
  })
  .nullish()
  .catch(undefined);
export type AppContext = z.infer<typeof appContextSchema>;

/**
 * A message as events and history have it (docs.slack.dev/reference/events/message). Only the fields that are read are listed.
 */
export const messageSchema = z.looseObject({
  subtype: z.string().optional(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  text: z.string().nullish(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  edited: z.looseObject({ ts: z.string() }).nullish(),
  files: fitting(fileSchema),
  /** Read by `saidText`. */
  blocks: z.array(z.unknown()).nullish().catch(undefined),
  attachments: fitting(attachmentSchema.extend({ files: fitting(fileSchema) })),
  streaming_state: z.string().optional(),
  /** `ts` of the latest reply, on the root of a thread in a channel's history. */
  latest_reply: z.string().nullish(),
  app_context: appContextSchema,
  /** Comes with messages to the bot; at first only within `assistant_thread`. */
  action_token: z.string().nullish(),
  assistant_thread: z.looseObject({ action_token: z.string().nullish() }).nullish().catch(undefined),
  metadata: z
    .looseObject({
      event_type: z.string().optional(),
      event_payload: z.record(z.string(), z.unknown()).optional(),
    })
    .nullish(),
});
export type SlackMessage = z.infer<typeof messageSchema>;

const inChannel = { channel: z.string(), channel_type: z.string().optional() };

export const messageEventSchema = messageSchema.extend(inChannel);

export const changedEventSchema = z.looseObject({
  ...inChannel,
  ts: z.string(),
  message: messageSchema,
  previous_message: messageSchema.optional(),
});

export const deletedEventSchema = z.looseObject({
  ...inChannel,
  deleted_ts: z.string(),
  previous_message: messageSchema.optional(),
});

export const historySchema = z.looseObject({
  messages: fitting(messageSchema).transform((messages) => messages ?? []),
  has_more: z.boolean().optional(),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** Subtypes of messages that somebody wrote. The others report events in the channel. */
const said = new Set([undefined, "file_share", "thread_broadcast", "bot_message", "me_message"]);

export function isSaid(message: SlackMessage): boolean {
  return said.has(message.subtype);
}

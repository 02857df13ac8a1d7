import type { types, ViewOutput } from "@slack/bolt";
import { z } from "zod";
import type { ChatMessage } from "../../app/chat/chat-intake.ts";
import { fileSchema, type SlackMessage } from "./message-event.ts";
import { wholeCharacters } from "./outgoing-text.ts";
import { filesOf, isDirect, placeOf } from "./parse-message.ts";
import { directThread } from "./slack-place.ts";

/** `callback_id` of the form of the shortcut "Ask Knack about this". */
export const askModalId = "knack_ask";

const usualQuestion = "What about this message?";

/** Slack keeps 3,000 characters with a form; the quote takes most of them. */
const quoteLength = 2_000;

const rememberedSchema = z.object({
  channel: z.string(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  quote: z.string(),
  /** Ids of files; the rest is asked for on download. */
  files: z.array(fileSchema),
});

const shortcutMessageSchema = z.looseObject({
  ts: z.string(),
  thread_ts: z.string().optional(),
  text: z.string().nullish(),
  files: z.array(fileSchema).nullish(),
});

/** Asks what to do with a message. */
export function askModal(channel: string, message: unknown): types.ModalView {
  const { ts, thread_ts, text, files } = shortcutMessageSchema.parse(message);
  const remembered: z.infer<typeof rememberedSchema> = {
    channel,
    ts,
    ...(thread_ts === undefined ? {} : { thread_ts }),
    quote: wholeCharacters(text ?? "", quoteLength),
    files: (files ?? []).slice(0, 5).map(({ id, name, mimetype, size }) => ({ id, name, mimetype, size })),
  };
  return {
    type: "modal",
    callback_id: askModalId,
    private_metadata: JSON.stringify(remembered),
    title: { type: "plain_text", text: "Ask about this" },
    submit: { type: "plain_text", text: "Ask" },
    close: { type: "plain_text", text: "Cancel" },
    blocks: [
      {
        type: "input",
        block_id: "question",
        optional: true,
        label: { type: "plain_text", text: "What shall I do with it?" },
        hint: { type: "plain_text", text: "The answer goes into the thread of the message." },
        element: {
          type: "plain_text_input",
          action_id: "value",
          multiline: true,
          placeholder: { type: "plain_text", text: usualQuestion },
        },
      },
    ],
  };
}

/**
 * The filled form as a message in the thread of the one it is about.
 * @param direct the channel of the person's direct messages with the bot: a conversation of two other people has no place here,
 * so what is asked there is answered directly
 */
export function readAsk(
  view: ViewOutput,
  by: { author: string; team: string; direct: string; now: number },
): ChatMessage & { quote: string } {
  const about = rememberedSchema.parse(JSON.parse(view.private_metadata));
  const question = view.state.values.question?.value?.value || usualQuestion;
  const message: SlackMessage = { ts: about.ts, thread_ts: about.thread_ts, files: about.files };
  const elsewhere = isDirect(about) && about.channel !== by.direct;
  const place = placeOf(about, message, by.team, by.author);
  return {
    key: `slack:${by.team}:${about.channel}:${about.ts}:ask:${view.id}`,
    place: elsewhere ? { ...place, thread: directThread } : place,
    id: elsewhere ? view.id : about.ts,
    author: by.author,
    by_bot: false,
    text: question,
    quote: about.quote,
    said_at: by.now,
    addressed: "mention",
    mentions_others: false,
    in_thread: !elsewhere,
    files: filesOf(message),
  };
}

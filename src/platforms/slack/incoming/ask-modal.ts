import type { types, ViewOutput } from "@slack/bolt";
import { z } from "zod";
import type { ChatMessage } from "../../../app/chat/chat-intake.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { fileSchema, messageSchema, type SlackMessage } from "../channel/message-event.ts";
import { filesOf, placeOf, type Self } from "../channel/parse-message.ts";
import { saidText } from "../channel/said-text.ts";
import { directNamespace, directThread } from "../channel/slack-place.ts";

/** `callback_id` of the form of the shortcut "Ask Knack about this". */
export const askModalId = "knack_ask";

const usualQuestion = "What about this message?";

const answeredThere = "The answer goes into the thread of the message.";
const answeredDirectly = "I am not in this conversation, so I answer you in our direct messages.";

/** Maximum characters of the quote: Slack stores 3,000 with a form. */
const quoteLength = 2_000;

const rememberedSchema = z.object({
  channel: z.string(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  quote: z.string(),
  /** The answer goes to the person's direct messages, because the bot cannot write in the message's conversation. */
  elsewhere: z.boolean(),
  /** Ids of files; the rest is requested on download. */
  files: z.array(fileSchema),
});

/**
 * The form that asks for a question about a message.
 * @param elsewhere whether the answer goes to the person's direct messages, because the bot cannot write in the conversation
 */
export function askModal(channel: string, message: unknown, elsewhere: boolean): types.ModalView {
  const { ts, thread_ts, files, ...said } = messageSchema.parse(message);
  const remembered: z.infer<typeof rememberedSchema> = {
    channel,
    ts,
    thread_ts,
    quote: beginningOf(saidText(said), quoteLength),
    elsewhere,
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
        hint: { type: "plain_text", text: elsewhere ? answeredDirectly : answeredThere },
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
 * The submitted form as a message in the thread of the quoted one, or in the direct messages with the bot if it is not in that
 * conversation.
 */
export function readAsk(
  view: ViewOutput,
  me: Pick<Self, "team" | "direct">,
  by: { author: string; now: number },
): ChatMessage & { quote: string } {
  const about = rememberedSchema.parse(JSON.parse(view.private_metadata));
  const { elsewhere } = about;
  const question = view.state.values.question?.value?.value || usualQuestion;
  const message: SlackMessage = { ts: about.ts, thread_ts: about.thread_ts, files: about.files };
  return {
    key: `slack:${me.team}:${about.channel}:${about.ts}:ask:${view.id}`,
    place: elsewhere
      ? { namespace: directNamespace(me.team, by.author), thread: directThread }
      : placeOf(about, message, me, by.author),
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

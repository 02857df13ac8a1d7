import { z } from "zod";
import { oneLine } from "../../base/markdown-text.ts";
import { channelThread } from "../../core/ports/chat-platform.ts";
import { threadSchema } from "../../core/values/place.ts";
import { channelName } from "../services/shapes.ts";
import { auditNote, operation } from "./operation.ts";

/** Maximum characters of a message that a program sends; the limits of platforms are lower. */
const maxLength = 12_000;

/** Posts a message in a channel as the bot, for scripts, deployments and timers. No model is asked. */
export const sendMessage = operation({
  name: "message.send",
  input: z.object({
    namespace: channelName,
    thread: threadSchema.optional().describe("a thread of it; the channel itself unless given"),
    text: z.string().trim().min(1).max(maxLength).describe("standard Markdown; mentions notify nobody"),
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("your own key; messages with the same key are posted once"),
  }),
  output: z.object({ reference: z.string(), link: z.string().optional() }),
  who: { least: "operator", refusal: "Only operators of the bot may send messages as the bot." },
  http: {
    route: "POST /messages",
    summary: "Post a message in a channel of a chat platform",
    answers: "the message's reference, and its address where the platform has one",
  },
  commandLine: {
    command: "message send <text...>",
    options: ["--thread <thread>", "--key <key>"],
    needsBot: "connected to the platform",
    read: ({ text, ...rest }) => ({ ...rest, text: [text].flat().join(" ") }),
  },
  text: ({ reference, link = reference }) => `Posted: ${link}`,
  run({ input: { namespace, thread = channelThread, text, key }, services }) {
    return services.say({ place: { namespace, thread }, text, key: key ?? services.newId() });
  },
  audit: (_output, { input: { namespace, text } }) =>
    auditNote("message_sent", namespace, `sent “${oneLine(text, 200)}”`),
});

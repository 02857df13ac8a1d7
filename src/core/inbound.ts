import { z } from "zod";
import { namespaceSchema, threadSchema } from "./place.ts";

/** What a person may do here, lowest first. An operator runs the bot; a manager runs the channel. */
const trustSchema = z.enum(["guest", "member", "manager", "operator"]);
export type Trust = z.infer<typeof trustSchema>;

const authorSchema = z.object({
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  trust: trustSchema,
});
/** Who said something. `id` is the platform's user id. */
export type Author = z.infer<typeof authorSchema>;

/** The longest text of one message, characters. A longer one is refused with a message that says so. */
export const longestMessage = 2_000_000;

export const inboundSchema = z.object({
  /** The same for every delivery of the same message: the deduplication key. */
  key: z.string().min(1).max(300),
  namespace: namespaceSchema,
  thread: threadSchema,
  author: authorSchema,
  /** `command` is a slash command (`/skill list`); it does not wait in its thread's line. */
  kind: z.enum(["message", "command"]),
  text: z.string().max(longestMessage),
});
/** A message or command as a platform hands it in, verified and parsed. */
export type Inbound = z.infer<typeof inboundSchema>;

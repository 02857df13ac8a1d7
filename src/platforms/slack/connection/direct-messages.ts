/** Whether direct messages with the bot are one conversation, or each thread of them is one. */
export type DirectMessages = "one" | "threads";

/**
 * How direct messages are taken in a workspace. Slack shows those with an agent as threads, each begun by a top-level message; an app
 * that is none has a plain conversation, where the next message goes on with the last. Whoever makes an app an agent gives it
 * `assistant:write`, and no other app has that. https://docs.slack.dev/ai/developing-agents
 * @param scopes what the bot's token may do; undefined where Slack did not tell, and then it is taken for an agent
 */
export function directMessagesOf(
  setting: DirectMessages | "auto",
  scopes: readonly string[] | undefined,
): DirectMessages {
  if (setting !== "auto") return setting;
  return scopes === undefined || scopes.includes("assistant:write") ? "threads" : "one";
}

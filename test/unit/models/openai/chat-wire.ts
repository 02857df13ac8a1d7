/** A whole chat completion, as a server sends it. */
export const completion = (
  message: Record<string, unknown>,
  changes: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop" }],
  ...changes,
});

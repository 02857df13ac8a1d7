/** Items and answers of the Responses API, as the server sends them. */
export const thought = (id: string) => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: "Thinking." }],
  encrypted_content: `sealed ${id}`,
});

export const said = (text: string) => ({
  type: "message",
  id: `msg_${text.length}`,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

export const toolCall = (call_id: string, name: string) => ({
  type: "function_call",
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: "{}",
  status: "completed",
});

export const response = (output: readonly object[], changes: Record<string, unknown> = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output,
  ...changes,
});

export const refusal = (message: string, code = "invalid_request_error") => ({
  error: { message, type: "invalid_request_error", code },
});

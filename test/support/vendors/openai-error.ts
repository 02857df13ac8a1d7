import type { Json } from "../../../src/core/values/json.ts";
import type { Incoming, Refusal } from "./exchange.ts";
import { string } from "./wire.ts";

/** An error in OpenAI's shape. */
export function openAiError(status: number, refusal: Refusal, _incoming: Incoming): Json {
  const type = types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  const { message, param = null, code = null } = refusal;
  return { error: { message, type, param, code } };
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  429: "rate_limit_exceeded",
};

/** The arguments of a call as the model wrote them, as JSON if they are. */
export function parsedArguments(text: Json | undefined): Json {
  try {
    return JSON.parse(string(text)) as Json;
  } catch {
    return string(text);
  }
}

import type { ModelRequest } from "../../core/ports/model.ts";
import type { Effort } from "../../core/values/message.ts";

/** The effort of a request as its system messages left it. */
export function effortNow({ effort, messages }: ModelRequest): Effort | undefined {
  const change = messages.findLast((message) => message.role === "system" && message.effort !== undefined);
  return change?.role === "system" ? change.effort : effort;
}

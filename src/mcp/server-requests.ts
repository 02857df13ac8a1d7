import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolContext } from "../core/skill/tool.ts";

/**
 * Requests of servers during a call. Both may throw `WaitingForPerson`: then they are called again with the same parameters and a later
 * context once the person answered. Other errors are reported to the server as a refusal, without their text. `key` identifies the request
 * within its call, the same each time; questions to people get a `key` that begins with it.
 */
export interface ServerRequests {
  /** The capabilities that the client announces: `{elicitation: {form: {}, url: {}}, sampling: {}}`. */
  capabilities: ClientCapabilities;
  /** @param server its name, for the question */
  elicit(
    server: string,
    params: ElicitRequest["params"],
    context: ToolContext,
    key: string,
  ): Promise<ElicitResult>;
  sample(
    server: string,
    params: CreateMessageRequest["params"],
    context: ToolContext,
    key: string,
  ): Promise<CreateMessageResult>;
}

import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolContext } from "../core/skill/tool.ts";

/**
 * What servers ask in the middle of a call. Both may throw `WaitingForPerson`: then they are called again with the same parameters
 * and a later context when the person answered. Other errors are told to the server as a refusal, without their text. `key` names
 * the request within its call, the same each time: what is asked of people gets a `key` that begins with it.
 */
export interface ServerRequests {
  /** What the client says it can: `{elicitation: {form: {}, url: {}}, sampling: {}}`. */
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

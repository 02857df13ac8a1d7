import type { Json } from "../../core/values/json.ts";
import type { AssistantMessage, Message } from "../../core/values/message.ts";

/** Who is asked and how: blocks go back to the model that wrote them, and only in the form it was asked in. */
export interface BlocksOwner {
  provider: string;
  /** The provider's name of the model. */
  model: string;
  form: string;
}

/** The blocks of a message if they are the owner's. */
export function ownBlocks(message: AssistantMessage, owner: BlocksOwner): Json | undefined {
  const own = message.provider_blocks;
  const isOwn = own?.provider === owner.provider && own.model === owner.model && own.form === owner.form;
  return isOwn ? own.blocks : undefined;
}

/**
 * The messages with every system message that stands between the results of one round moved behind the last of them:
 * servers want results right after their calls. Nothing else moves.
 */
export function holdBackChanges(messages: readonly Message[]): readonly Message[] {
  const ordered: Message[] = [];
  let held: Message[] = [];
  for (const message of messages) {
    if (message.role === "system") held.push(message);
    else if (message.role === "tool") ordered.push(message);
    else {
      ordered.push(...held, message);
      held = [];
    }
  }
  return [...ordered, ...held];
}

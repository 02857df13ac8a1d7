import type { Json } from "../../core/values/json.ts";
import type { AssistantMessage } from "../../core/values/message.ts";

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

import type { Json } from "../../core/values/json.ts";
import type { AssistantMessage, Message } from "../../core/values/message.ts";
import type { BlocksOwner } from "../provider-model.ts";

/** Whether system messages of a conversation add tools. */
export function addsTools(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === "system" && (message.add ?? []).length > 0);
}

/** The blocks of a message; undefined unless they belong to the owner. */
export function ownBlocks(message: AssistantMessage, owner: BlocksOwner): Json | undefined {
  const own = message.provider_blocks;
  const isOwn = own?.provider === owner.provider && own.model === owner.model && own.form === owner.form;
  return isOwn ? own.blocks : undefined;
}

/**
 * Moves system messages between the results of one round behind the last result: servers expect results directly after their
 * calls. All other messages keep their order.
 */
export function holdBackChanges(messages: readonly Message[]): readonly Message[] {
  const isBetween = ({ role }: Message, at: number) => role === "system" && messages[at + 1]?.role === "tool";
  if (!messages.some(isBetween)) return messages;
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

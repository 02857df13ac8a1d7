import type { Message } from "../../core/values/message.ts";

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

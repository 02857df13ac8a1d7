import { isDirectMessage } from "../../core/place.ts";

/** How an answer names the place that a command changed. The console's and the terminal's own `dm` is one of their channels. */
export function placeWords(namespace: string): string {
  const isWithPerson = isDirectMessage(namespace) && !namespace.endsWith(":dm");
  return isWithPerson ? "in our direct messages" : "in this channel";
}

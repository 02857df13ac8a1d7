import type { ModelRequest } from "../core/ports/model.ts";
import { type Effort, efforts } from "../core/values/message.ts";

/** The effort of a request after the changes in its system messages. */
export function effortNow({ effort, messages }: ModelRequest): Effort | undefined {
  const change = messages.findLast((message) => message.role === "system" && message.effort !== undefined);
  return change?.role === "system" ? change.effort : effort;
}

/** The known effort nearest to the wanted one; the higher of two that are equally near. Undefined when none is known. */
export function nearestEffort(wanted: Effort, known: readonly Effort[]): Effort | undefined {
  const distance = (effort: Effort) => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  return known.toReversed().toSorted((a, b) => distance(a) - distance(b))[0];
}

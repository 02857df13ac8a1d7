import { ModelError } from "../ports/model.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ToolContext } from "../skill/tool.ts";

/** Parts in a row that fail before the rest is left: the model is down then, not the part. */
const mostFailures = 3;

export interface PartWork<Part, Found> {
  /** What progress shows, e.g. `Reading`: `Reading part 2 of 9`. */
  doing: string;
  /** No part begins later than this, ms: what is done is worth more than a tool that ran out of time. */
  longest_ms: number;
  /** Has a model work on a part. `at` counts from 0. */
  work(part: Part, at: number): Promise<Found>;
}

/**
 * Works through the parts of something long in their order, and keeps what succeeded: undefined stands for each part where the model failed, or
 * that was not reached for want of time or money. @throws the first failure when no part succeeded
 */
export async function partByPart<Part, Found>(
  parts: readonly Part[],
  { doing, longest_ms, work }: PartWork<Part, Found>,
  context: Pick<ToolContext, "now" | "progress" | "signal">,
): Promise<readonly (Found | undefined)[]> {
  const end = context.now() + longest_ms;
  const found: (Found | undefined)[] = parts.map(() => undefined);
  const failures: (ModelError | SkillFailure)[] = [];
  let inARow = 0;
  for (const [at, part] of parts.entries()) {
    if (inARow >= mostFailures || (at > 0 && context.now() > end)) break;
    if (parts.length > 1) context.progress(`${doing} part ${at + 1} of ${parts.length}`, at, parts.length);
    try {
      found[at] = await work(part, at);
      inARow = 0;
    } catch (error) {
      failures.push(expected(error, context.signal));
      // Without money left no part succeeds.
      inARow = error instanceof SkillFailure ? mostFailures : inARow + 1;
    }
  }
  const [first] = failures;
  if (first !== undefined && found.every((each) => each === undefined)) throw first;
  return found;
}

/** A failure of one part. @throws every other error, and the signal's reason */
export function expected(error: unknown, signal: AbortSignal): ModelError | SkillFailure {
  signal.throwIfAborted();
  if (error instanceof ModelError || error instanceof SkillFailure) return error;
  throw error;
}

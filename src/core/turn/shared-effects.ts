import { isOfCall } from "../log/call-id.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import { named } from "../values/label.ts";

/**
 * The same part of a call's context, but that these methods fail once the call has read something that only its asker may read: it was
 * allowed before, and others see what these methods do. A call that began in a private turn was allowed as that. What others see of the
 * call's own calls and messages is decided when they are made.
 */
export function seenByOthers<Part extends object>(
  scope: TurnScope,
  { call }: CallRequest,
  part: Part,
  ...names: readonly (keyof Part)[]
): Part {
  const { state } = scope;
  const isWithin = () =>
    state.calls.get(call.id)?.before_private === true &&
    [...state.private_by].some((id) => isOfCall(id, call.id));
  const guarded = names.map((name) => {
    const effect = part[name] as (...given: unknown[]) => unknown;
    return [name, async (...given: unknown[]) => (isWithin() ? refuse(scope) : effect.apply(part, given))];
  });
  return { ...part, ...Object.fromEntries(guarded) };
}

function refuse({ turn }: TurnScope): never {
  const message = `In this call something was read for ${named(turn.author.name, turn.author.id)} alone, and others could see what it leaves here.`;
  throw new SkillFailure(
    "needs_a_person",
    message,
    "Leave it in a call of its own: then the person is asked.",
  );
}

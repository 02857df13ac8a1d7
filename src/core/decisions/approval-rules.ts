import { namedFor } from "../skill/skill-identifier.ts";
import type { Tool } from "../skill/tool.ts";
import {
  type ApprovalNeed,
  type ApprovalRule,
  type ApprovalRules,
  type Approver,
  isAtLeast,
} from "../values/inbound.ts";

/** The needs that the rules in force add to a call, and the rules in trial that name it. */
export function rulesOn(rules: ApprovalRules, tool: Tool) {
  const found = namedFor(rules, tool);
  return {
    needs: found.flatMap(([name, { approver, shadow }]): ApprovalNeed[] =>
      shadow
        ? []
        : [{ approver, reason: `The bot's configuration requires approval for ${name} (skills.approvals).` }],
    ),
    tried: found.filter(([, { shadow }]) => shadow),
  };
}

/** The rules in trial that would have had somebody else asked than the rules in force do. */
export function wouldAsk(
  tried: readonly (readonly [name: string, ApprovalRule])[],
  asked: Approver | undefined,
  decide: (need: ApprovalNeed) => Approver | undefined,
): string[] {
  return tried.flatMap(([name, { approver }]) => {
    const then = decide({ approver, reason: name });
    const isMore = then !== undefined && (asked === undefined || !isAtLeast(asked, then));
    return isMore ? [`${name}: ${then}`] : [];
  });
}

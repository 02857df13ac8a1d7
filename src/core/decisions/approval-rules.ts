import { namedFor } from "../skill/skill-identifier.ts";
import type { Tool } from "../skill/tool.ts";
import { type ApprovalNeed, type Approver, isAtLeast } from "../values/inbound.ts";

/** An operator's own rule: calls of what it names need approval. */
export interface ApprovalRule {
  approver: Approver;
  /** It is only tried: what it would have asked is noted with the call, and nobody is asked. */
  shadow: boolean;
}

/** By the name of a skill, a part of one, a tool or a tool server. */
export type ApprovalRules = { readonly [name: string]: ApprovalRule };

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

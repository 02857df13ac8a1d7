/** The decisions that people make about a call that asks, each with all that is said of it. */

interface VerdictWords {
  /** The word of its command and its button. */
  word: string;
  /** What the command does. */
  does: string;
  /** The answer to the person who decided. */
  answer: string;
  /** After a name: `approved`. */
  after: string;
  /** The action and the words of its audit line. */
  audit: readonly [action: string, did: string];
}

/**
 * `turn`: the sites that the call names may be reached for the rest of the turn. `always` and `never` also decide matching calls of the
 * channel.
 */
export const verdicts = {
  once: {
    word: "approve",
    does: "Approves what waits for approval",
    answer: "Approved.",
    after: "approved",
    audit: ["approval_approved", "approved"],
  },
  refuse: {
    word: "refuse",
    does: "Refuses what waits for approval",
    answer: "Refused.",
    after: "refused",
    audit: ["approval_refused", "refused"],
  },
  always: {
    word: "always",
    does: "Approves it, and allows calls like it here from now on",
    answer: "Always allowed here.",
    after: "approved, always here",
    audit: ["approval_always", "approved, here and always,"],
  },
  turn: {
    word: "turn",
    does: "Approves it, for the rest of its turn",
    answer: "Approved.",
    after: "approved, this site for this turn",
    audit: ["approval_approved", "approved, for the whole turn,"],
  },
  never: {
    word: "never",
    does: "Refuses it, and calls like it here from now on",
    answer: "Never allowed here.",
    after: "refused, never here",
    audit: ["approval_never", "refused, here and for good,"],
  },
} as const satisfies Record<string, VerdictWords>;

export type Verdict = keyof typeof verdicts;

/** A verdict as events and signals contain it. */
export interface VerdictFields {
  approved: boolean;
  /** Matching calls no longer ask here. */
  always?: true | undefined;
  /** Matching calls are refused here without asking. */
  never?: true | undefined;
  /** The requested hosts may be reached for the rest of the turn. */
  for_turn?: true | undefined;
}

/** A verdict as the API takes it: `always` and `turn` count only with an approval, `never` only with a refusal. */
interface VerdictInput {
  approve: boolean;
  always?: boolean | undefined;
  turn?: boolean | undefined;
  never?: boolean | undefined;
}

export function verdictOf({ approve, always, turn, never }: VerdictInput): Verdict {
  if (!approve) return never ? "never" : "refuse";
  return always ? "always" : turn ? "turn" : "once";
}

export function verdictInput(verdict: Verdict) {
  return {
    approve: isApproval(verdict),
    always: verdict === "always",
    turn: verdict === "turn",
    never: verdict === "never",
  };
}

export function isApproval(verdict: Verdict): boolean {
  return verdict !== "refuse" && verdict !== "never";
}

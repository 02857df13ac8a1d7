import type { HostRequest } from "./host/protocol.ts";

/** How often the code of one call may say something, ask for something, and ask people. */
const most = { notes: 300, requests: 500, approvals: 20 };

/** Characters that are kept of a note: more than is ever shown, so a secret that the cut parts is not among what is. */
const maxNote = 4_000;

/** Characters of what people are asked to approve. */
const maxPayload = 200_000;

/** What one call may still say and ask. The process of a skill is its code's to do with as it likes, so the bot counts, too. */
export interface CallAllowance {
  /** What is shown of a note; undefined for what is not. */
  note(text: string): string | undefined;
  /** Why something is not asked; undefined when it is. */
  refuse(asks: HostRequest): string | undefined;
}

export function createCallAllowance(): CallAllowance {
  const used = { notes: 0, requests: 0, approvals: 0 };
  return {
    note(text) {
      used.notes += 1;
      if (used.notes < most.notes) return text.slice(0, maxNote);
      return used.notes === most.notes ? "It says more than is shown." : undefined;
    },
    refuse(asks) {
      used.requests += 1;
      if (used.requests > most.requests) return `It asked for more than ${most.requests} things in one call.`;
      if (asks.kind === "page") return undefined;
      used.approvals += 1;
      if (used.approvals > most.approvals)
        return `It asked for more than ${most.approvals} approvals in one call.`;
      const size = JSON.stringify(asks.payload).length;
      if (size <= maxPayload) return undefined;
      return `It asked people to approve ${size} characters; at most ${maxPayload} can be read.`;
    },
  };
}

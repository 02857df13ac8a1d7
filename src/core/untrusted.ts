import type { Catalogue } from "./catalogue.ts";
import type { Untrusted } from "./read-so-far.ts";
import type { Transcript } from "./transcript.ts";
import type { CallRequest, TurnScope } from "./turn-scope.ts";

/**
 * What untrusted text the model had read when it made this call, or who else may have made it up; empty when there is none.
 */
export function untrustedIn(
  { transcript, turn, state }: Pick<TurnScope, "transcript" | "turn" | "state">,
  request?: Pick<CallRequest, "parent_call_id">,
): readonly Untrusted[] {
  const found = new Set(transcript?.read.untrusted);
  if (turn.author.trust === "guest") found.add("outsider");
  if (hasForeignGuide(transcript, turn.catalogue)) found.add("skill");
  const caller = state.calls.get(request?.parent_call_id ?? "")?.started?.skill_id ?? "";
  if (caller !== "" && isForeign(turn.catalogue, caller)) found.add("code");
  return [...found];
}

function hasForeignGuide(transcript: Transcript | undefined, catalogue: Catalogue): boolean {
  return [...(transcript?.read.guides ?? [])].some((id) => isForeign(catalogue, id));
}

/** Whether a skill did not ship with the bot; one that is gone is taken for such. */
export function isForeign({ skills }: Catalogue, id: string): boolean {
  const skill = skills.get(id);
  return skill === undefined || skill.kind === "mcp" || skill.origin.source !== "bundled";
}

import type { Transcript } from "../log/transcript.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { Catalogue } from "../skill/catalogue.ts";
import { isForeignResult, isOfOutsiders, type Untrusted } from "../values/address.ts";
import { isSaidIn } from "../values/said-line.ts";
import { toldMessage } from "./user-message.ts";

/**
 * What untrusted text the model had read when it made this call, or who else may have made it up; empty when there is none. `of`: a
 * skill whose own guide does not count.
 */
export function untrustedIn(
  { transcript, turn, state }: Pick<TurnScope, "transcript" | "turn" | "state">,
  request?: Pick<CallRequest, "parent_call_id">,
  of = "",
): readonly Untrusted[] {
  const found = new Set(transcript?.read.untrusted);
  if (turn.author.trust === "guest") found.add("outsider");
  if (hasForeignGuide(transcript, turn.catalogue, of)) found.add("skill");
  const caller = state.calls.get(request?.parent_call_id ?? "")?.started?.skill_id ?? "";
  if (caller !== "" && isForeign(turn.catalogue, caller)) found.add("code");
  return [...found];
}

/** Whether anything of the thread came from strangers: what `untrustedIn` says, or what the log saw of them. */
export function hasReadUntrusted(
  scope: Pick<TurnScope, "transcript" | "turn" | "state" | "seen">,
  request?: Pick<CallRequest, "parent_call_id">,
  of = "",
): boolean {
  const { seen } = scope;
  return seen.thread.untrusted || seen.turn.untrusted || untrustedIn(scope, request, of).length > 0;
}

/**
 * Whether a text is what people of the thread said themselves, in a turn that read nothing untrusted: then nothing that was read earlier
 * in the thread had to make the model write it.
 */
export function isOwnWords(scope: TurnScope, { parent_call_id }: CallRequest, text: string): boolean {
  const { transcript, turn, state } = scope;
  const hasRead = [...state.calls.values()].some(
    ({ finished }) => finished !== undefined && isForeignResult(finished.tool),
  );
  if (hasRead || turn.author.trust === "guest" || turn.cause !== undefined) return false;
  if (parent_call_id !== undefined || isOfOutsiders(toldMessage(scope))) return false;
  const said = (transcript?.messages ?? []).flatMap((message) =>
    message.role === "user" && message.by_guest !== true ? (message.said ?? "") : [],
  );
  return isSaidIn(text, [...said, turn.text].join("\n"));
}

function hasForeignGuide(transcript: Transcript | undefined, catalogue: Catalogue, of: string): boolean {
  return [...(transcript?.read.guides ?? [])].some(
    (id) => rootOf(id) !== rootOf(of) && isForeign(catalogue, id),
  );
}

/** The id of a skill without its part. */
function rootOf(id: string): string {
  return id.split("#")[0] ?? "";
}

/** Whether a skill did not ship with the bot; one that is gone is taken for such. */
export function isForeign({ skills }: Catalogue, id: string): boolean {
  const skill = skills.get(id);
  return skill === undefined || skill.kind === "mcp" || skill.origin.source !== "bundled";
}

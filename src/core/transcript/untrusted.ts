import type { Transcript } from "../log/transcript.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { Catalogue } from "../skill/catalogue.ts";
import { isSaidIn } from "../values/said-line.ts";
import { isForeignResult, isOfOutsiders, type Untrusted } from "../values/untrusted.ts";
import { toldMessage } from "./user-message.ts";

/**
 * The untrusted text that may have caused the model to make this call, including calls made by foreign code; empty if there is none. `of`:
 * a skill whose own guide does not count.
 */
export function untrustedIn(
  scope: Pick<TurnScope, "transcript" | "turn" | "state" | "parent" | "seen">,
  request?: Pick<CallRequest, "parent_call_id">,
  of = "",
): readonly Untrusted[] {
  const { transcript, turn, state, parent, seen } = scope;
  // The task of a sub-run may come from what its parent has read.
  const before =
    parent === undefined ? (turn.cause?.background?.untrusted ?? []) : untrustedIn(parent, undefined, of);
  const found = new Set([...before, ...(transcript?.read.untrusted ?? [])]);
  if (turn.author.trust === "guest" || seen.thread.untrusted || seen.turn.untrusted) found.add("outsider");
  if (hasForeignGuide(transcript, turn.catalogue, of)) found.add("skill");
  const caller = state.calls.get(request?.parent_call_id ?? "")?.started?.skill_id ?? "";
  if (caller !== "" && isForeign(turn.catalogue, caller)) found.add("code");
  return [...found];
}

/**
 * Whether people of the thread wrote the words of a text themselves, in a turn that read nothing untrusted. Untrusted text read earlier in
 * the thread then need not be its source.
 */
export function isOwnWords(scope: TurnScope, { depth }: CallRequest, text: string): boolean {
  const { transcript, turn, state } = scope;
  const hasRead = [...state.calls.values()].some(
    ({ finished }) => finished !== undefined && isForeignResult(finished.tool),
  );
  if (hasRead || turn.author.trust === "guest" || turn.cause !== undefined) return false;
  if (depth > 0 || turn.task !== undefined || isOfOutsiders(toldMessage(scope))) return false;
  return isSaidIn(text, [...saidHere(transcript), turn.text].join("\n"));
}

/** Whether people of the thread wrote a text, word for word and in one piece. Unlike single words, nobody can make other sentences of it. */
export function isSaidWhole({ transcript, turn }: TurnScope, text: string): boolean {
  if (turn.author.trust === "guest") return false;
  return [...saidHere(transcript), turn.text].some((said) =>
    ` ${plainText(said)} `.includes(` ${plainText(text)} `),
  );
}

/** What people other than guests said in the thread. */
function saidHere(transcript: Transcript | undefined): string[] {
  return (transcript?.messages ?? []).flatMap((message) =>
    message.role === "user" && message.by_guest !== true ? (message.said ?? "") : [],
  );
}

/** Its words, in any case, with the signs within them. */
function plainText(text: string): string {
  const words = text
    .normalize("NFC")
    .toLowerCase()
    .split(/[\s"“”„«»]+/u);
  return words
    .map((word) => word.replace(/^[.,;:!?…]+|(?<![.,;:!?…])[.,;:!?…]+$/gu, ""))
    .filter(Boolean)
    .join(" ");
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

/** Whether a skill did not ship with the bot. A skill that no longer exists counts as foreign. */
export function isForeign({ skills }: Catalogue, id: string): boolean {
  const skill = skills.get(id);
  return skill === undefined || skill.kind === "mcp" || skill.origin.source !== "bundled";
}

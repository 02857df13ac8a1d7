/**
 * How far what people allowed for good reaches once the model has read untrusted text, and what the plan of a schedule allows. Both
 * are bound to what was on the card: a model that obeys what it reads gets no other destination.
 */
import { isContainer } from "../../base/record.ts";
import { type CallRequest, calledBy, type TurnScope } from "../scope/turn-scope.ts";
import { hasReadUntrusted } from "../transcript/untrusted.ts";
import { bindsNothing } from "../values/always-text.ts";
import type { ReadArguments } from "../values/call-arguments.ts";
import type { Binding } from "../values/call-binding.ts";
import type { Json } from "../values/json.ts";
import { linksIn } from "../values/web-address.ts";
import { isKnownAddress } from "./known-addresses.ts";

/** A call as decisions about it are bound. */
export interface BoundCall {
  request: CallRequest;
  /** The skill that is called; its own guide makes nothing untrusted. */
  skill_id: string;
  args: ReadArguments;
}

/**
 * Whether an "always here" with this binding lets a call run now. Once untrusted text was read it does not where the binding says
 * nothing of where the call goes, and where the free text calls somebody or holds an address that nobody named.
 */
export function isStillAllowed(scope: TurnScope, call: BoundCall, binding: Binding): boolean {
  if (!hasReadUntrusted(scope, call.request, call.skill_id)) return true;
  return !bindsNothing(binding.values, Object.keys(call.args.free)) && hasOnlyKnownText(scope, call);
}

/**
 * Whether the text of the schedule that began the turn names all that a call is bound to: people saw it when they agreed. While the run
 * has read nothing untrusted, yes and no need no name; nor do dates and times, which move with each run.
 */
export function isPlanned(scope: TurnScope, call: BoundCall): boolean {
  const { bound, free } = call.args;
  const isUntrusted = hasReadUntrusted(scope, call.request, call.skill_id);
  const isNamed = (value: Json): boolean => {
    if (isContainer(value)) return Object.values(value).every(isNamed);
    if (typeof value === "boolean" || value === null) return !isUntrusted;
    return isTime(value) || standsIn(scope.turn.text, String(value));
  };
  if (!Object.values(bound).every(isNamed)) return false;
  return !isUntrusted || (!bindsNothing(bound, Object.keys(free)) && hasOnlyKnownText(scope, call));
}

/** A date or time in ISO 8601. */
function isTime(value: Json): boolean {
  return (
    typeof value === "string" && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,15}(?:Z|[+-][\d:]{2,6})?)?$/.test(value)
  );
}

/**
 * Whether a text names a value: as a word or words of their own, which no other words of the text happen to be. That is what has a
 * digit or a sign, an abbreviation in capitals, and what is marked: `#general`, `@ann`, `"Release notes"`.
 */
function standsIn(text: string, value: string): boolean {
  const wanted = value.trim();
  if (wanted === "") return true;
  const isEmail = wanted.includes("@");
  const [within, word] = isEmail ? [text.toLowerCase(), wanted.toLowerCase()] : [text, wanted];
  const isTelling = /[\d@#./:_-]|^\p{Lu}{2,}$/u.test(wanted);
  for (let at = within.indexOf(word); at >= 0; at = within.indexOf(word, at + 1)) {
    const [before, after] = [
      within.slice(Math.max(0, at - 2), at),
      within.slice(at + word.length, at + word.length + 2),
    ];
    if (!/^$|^(?:[#@]|.?[\s([{<"'`“„«‘‚]|[\s([{<"'`“„«‘‚][#@])$/su.test(before)) continue;
    if (!/^(?:$|[\s)\]}>"'`”“»’‘,;:!?]|\.(?:$|\s))/u.test(after)) continue;
    const isMarked = /[#@]$/.test(before) || (/["'`“„«‘‚]$/u.test(before) && /^["'`”“»’‘]/u.test(after));
    if (isTelling || isMarked) return true;
  }
  return false;
}

/** What notifies people where a text is shown. */
const mention =
  /<[@!#]&?!?([^\s<>|^]{1,100})[^<>]{0,200}>|(?<![\p{L}\p{N}._])@(?:everyone|here|channel|all)(?![\p{L}\p{N}])/giu;

/** Whether free text calls nobody but those the turn may call, and leads nowhere but where people or pages of the thread do. */
function hasOnlyKnownText(scope: TurnScope, { request, args }: BoundCall): boolean {
  const called = new Set(calledBy(scope));
  return Object.values(args.free).every(
    (text) =>
      linksIn(text).every((address) => isKnownAddress(scope, request, address)) &&
      [...text.matchAll(mention)].every(([, id]) => id !== undefined && called.has(id)),
  );
}

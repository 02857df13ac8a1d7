/**
 * Decides whom messages of a turn may mention. The person of the turn and people whom their message mentions or names
 * (`values/said-line.ts`) need no confirmation; the person confirms everybody else. Mentions of everyone are never possible.
 */

import { personOnCard } from "../decisions/people-on-cards.ts";
import type { KnownGroup, KnownPerson } from "../ports/chat-actions.ts";
import { saidIn, type Turn } from "../scope/turn.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ChatWork } from "../skill/work-context.ts";
import { labelOf, mentioned, named } from "../values/label.ts";
import { saysAfterAt, saysName } from "../values/said-line.ts";
import type { ChatDesk, Question } from "./chat-desk.ts";
import { isOnlyOne, personNamed } from "./named-target.ts";

/** Maximum people and groups that one turn may mention. */
const maxMentions = 20;
/** A larger group than this is confirmed even if the message mentions it. */
const largeGroup = 25;

interface Wanted {
  id: string;
  name: string;
  mention: string;
  /** Absent for a group. */
  person?: KnownPerson;
  /** Needs no confirmation. */
  free: boolean;
  /** Number of people it notifies. */
  people: number;
}

export function createMentioning(desk: ChatDesk): ChatWork["name"] {
  const { turn, state, emit } = desk.scope;
  const wantedBy = async (name: string): Promise<Wanted> => {
    const only = await personNamed(desk, name);
    if ("callable" in only) return wantedGroup(only, turn);
    return { ...calledPerson(only), free: await isNamed(desk, only) };
  };
  return async (called) => {
    const found = new Map<string, Wanted>();
    for (const name of new Set(called)) {
      const one = await wantedBy(name);
      found.set(one.id, one);
    }
    const wanted = [...found.values()];
    if (state.named.size + wanted.length > maxMentions) throw tooMany(wanted.length);
    const open = wanted.filter(({ free, id }) => !free && !state.named.has(id));
    if (open.length > 0) await desk.ask(await questionFor(desk, open));
    await emit({ type: "people_named", call_id: desk.callId, ids: wanted.map(({ id }) => id) });
    return wanted.map(({ id, name, mention }) => ({ id, name, mention }));
  };
}

function calledPerson(person: KnownPerson): Omit<Wanted, "free"> {
  const { id, name } = person;
  return { id, name, mention: `<@${id}>`, person, people: 1 };
}

/** Whether the message mentions a person, or uses one of their names or its first word as a name, if nobody else here has it. */
export async function isNamed(desk: ChatDesk, person: KnownPerson): Promise<boolean> {
  const { turn } = desk.scope;
  const { id, name, full_name = "" } = person;
  if (isMentioned(turn, id)) return true;
  const first = (each: string) => each.replace(/ .*/u, "");
  for (const each of new Set([name, full_name, first(name), first(full_name)])) {
    if (saysName(saidIn(turn), each) && (await isOnlyOne(desk, person, each))) return true;
  }
  return false;
}

function wantedGroup(group: KnownGroup, turn: Turn): Wanted {
  if (!group.callable) throw notCallable(group);
  const { id, name, members = Number.POSITIVE_INFINITY } = group;
  const isSaid = isMentioned(turn, id) || saysAfterAt(saidIn(turn), name);
  const free = isSaid && members <= largeGroup;
  return { id, name, mention: `<@&${id}>`, free, people: members };
}

function isMentioned({ mentions = [], author }: Turn, id: string): boolean {
  return author.id === id || mentions.some((each) => each.id === id);
}

async function questionFor({ scope }: ChatDesk, open: readonly Wanted[]): Promise<Question> {
  const people = open.map(({ name, id }) => named(name, id));
  const shown = await Promise.all(
    open.map(({ person, name, id }) =>
      person === undefined ? mentioned(name, id, "@&") : personOnCard(scope, person),
    ),
  );
  const count = open.reduce((sum, { people }) => sum + people, 0);
  const many = Number.isFinite(count) && count > open.length ? ` (${count} people)` : "";
  return {
    action: "mention",
    says: { deed: `mention ${shown.join(", ")}${many}`, names: ["people"] },
    input: { people },
    reason: "A mention notifies them, and your message did not name them.",
  };
}

function tooMany(count: number): SkillFailure {
  const message = `A turn may mention ${maxMentions} people and groups; ${count} more were asked for.`;
  return new SkillFailure("too_many", message, "Mention a group instead, or write names as plain text.");
}

function notCallable({ name }: KnownGroup): SkillFailure {
  const message = `The person may not notify the group "${labelOf(name)}" themselves, so the bot does not either.`;
  return new SkillFailure("not_allowed", message, "Write its name as plain text, and say so.");
}

/**
 * Whom messages of a turn may call. Free are the person of the turn and those whom their message mentions or names; everybody else is
 * confirmed by the person, and nobody calls everyone.
 */
import type { KnownGroup, KnownPerson } from "./chat-actions.ts";
import type { ChatDesk } from "./chat-desk.ts";
import type { ChatWork } from "./chat-work.ts";
import { SkillFailure } from "./define-skill.ts";
import type { Turn } from "./turn.ts";
import type { TurnScope } from "./turn-scope.ts";

/** People and groups that one turn may call. */
const mostNamed = 20;
/** A group of more people than this is confirmed although the message mentions it. */
const largeGroup = 25;

/** The ids that messages of a turn may call. */
export function calledBy({ turn, state }: Pick<TurnScope, "turn" | "state">): string[] {
  return [turn.author.id, ...(turn.mentions ?? []).map(({ id }) => id), ...state.named];
}

interface Wanted {
  id: string;
  name: string;
  mention: string;
  /** Nobody has to confirm it. */
  free: boolean;
  /** How many people it calls. */
  people: number;
}

export function createMentioning({ scope, callId, actions, doing, ask }: ChatDesk): ChatWork["name"] {
  const { turn, state } = scope;
  return async (ids) => {
    const wanted: Wanted[] = [];
    for (const id of new Set(ids.map(bareId))) wanted.push(await look(id));
    if (state.named.size + wanted.length > mostNamed) throw tooMany(wanted.length);
    const open = wanted.filter(({ free, id }) => !free && !state.named.has(id));
    if (open.length > 0) await ask(questionFor(open));
    await scope.emit({ type: "people_named", call_id: callId, ids: wanted.map(({ id }) => id) });
    return wanted.map(({ id, name, mention }) => ({ id, name, mention }));
  };

  async function look(id: string): Promise<Wanted> {
    const { people } = actions();
    if (people === undefined)
      throw new SkillFailure("not_here", "There is nobody else to call here.", "Tell the person.");
    const query = { words: id, asker: turn.author.id, most: 5 };
    const found = await doing(() => people(turn.place.namespace, query));
    const person = found.people.find((each) => each.id === id);
    if (person !== undefined) return wantedPerson(person, turn);
    const group = found.groups.find((each) => each.id === id);
    if (group === undefined) throw nobody(id);
    if (!group.callable) throw notCallable(group);
    return wantedGroup(group, turn);
  }
}

/** The id in `<@U1>`, `<@&R1>` or `@U1`. */
function bareId(text: string): string {
  return text.replace(/^<?@?&?!?|>$/g, "").trim();
}

function wantedPerson({ id, name, full_name = "" }: KnownPerson, turn: Turn): Wanted {
  const free = isMentioned(turn, id) || names(turn.text, name) || names(turn.text, full_name);
  return { id, name, mention: `<@${id}>`, free, people: 1 };
}

function wantedGroup({ id, name, members = Number.POSITIVE_INFINITY }: KnownGroup, turn: Turn): Wanted {
  const free = (isMentioned(turn, id) || names(turn.text, name)) && members <= largeGroup;
  return { id, name, mention: `<@&${id}>`, free, people: members };
}

function isMentioned({ mentions = [], author }: Turn, id: string): boolean {
  return author.id === id || mentions.some((each) => each.id === id);
}

/** Whether a text says a name, or the first word of it, as words of their own. */
function names(text: string, name: string): boolean {
  const said = wordsOf(text).join(" ");
  const words = wordsOf(name);
  const whole = words.join(" ");
  const [first = ""] = words;
  return [whole, first].some((each) => each.length >= 2 && ` ${said} `.includes(` ${each} `));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
}

function questionFor(open: readonly Wanted[]): Parameters<ChatDesk["ask"]>[0] {
  const names = open.map(({ name }) => name);
  const count = open.reduce((sum, { people }) => sum + people, 0);
  const many = Number.isFinite(count) && count > open.length ? ` (${count} people)` : "";
  return {
    action: "mention",
    question: `May I mention ${names.join(", ")}${many}?`,
    input: { people: names },
    reason: "A mention notifies them, and your message did not name them.",
  };
}

function tooMany(count: number): SkillFailure {
  const message = `A turn may mention ${mostNamed} people and groups; ${count} more were asked for.`;
  return new SkillFailure("too_many", message, "Mention a group instead, or write names as plain text.");
}

function nobody(id: string): SkillFailure {
  const hint = "Look people up first and take their ids from there.";
  return new SkillFailure("no_person", `There is nobody with the id ${id} here.`, hint);
}

function notCallable({ name }: KnownGroup): SkillFailure {
  const message = `The person may not notify the group ${name} themselves, so the bot does not either.`;
  return new SkillFailure("not_allowed", message, "Write its name as plain text, and say so.");
}

/**
 * Whom messages of a turn may call. Free are the person of the turn and those whom their message mentions or names (`said-words.ts`);
 * everybody else is confirmed by the person, and nobody calls everyone.
 */
import type { ChatActions, KnownGroup, KnownPerson } from "../ports/chat-actions.ts";
import type { ChatWork } from "../ports/chat-work.ts";
import type { Turn } from "../scope/turn.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import { saysName, wordsOf } from "../values/said-words.ts";
import type { ChatDesk } from "./chat-desk.ts";

/** People and groups that one turn may call. */
const mostNamed = 20;
/** A group of more people than this is confirmed although the message mentions it. */
const largeGroup = 25;

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
    const find = (words: string, most: number) =>
      doing(() => people(turn.place.namespace, { words, asker: turn.author.id, most }));
    const found = await find(id, 5);
    const person = found.people.find((each) => each.id === id);
    if (person !== undefined) {
      const isOnly = async (name: string) => isOnlyOne(await find(name, mostNamesakes), person, name);
      return { ...calledPerson(person), free: await isNamed(turn, person, isOnly) };
    }
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

function calledPerson({ id, name }: KnownPerson): Omit<Wanted, "free"> {
  return { id, name, mention: `<@${id}>`, people: 1 };
}

/** People of one name that are looked through. */
const mostNamesakes = 50;

type Found = Awaited<ReturnType<NonNullable<ChatActions["people"]>>>;

/** Whether nobody else has a name: a single one nobody else here, a whole one nobody at all. */
function isOnlyOne({ people, more }: Found, person: KnownPerson, name: string): boolean {
  const wanted = wordsOf(name);
  const isCalled = ({ name: called, full_name = "" }: KnownPerson) =>
    [called, full_name].some((each) => ` ${wordsOf(each)} `.startsWith(` ${wanted} `));
  const isMeant = (each: KnownPerson) => (each.here || wanted.includes(" ")) && isCalled(each);
  return !more && isMeant(person) && people.filter(isMeant).length === 1;
}

/** Whether the message mentions somebody, says their whole name, or the first word of it where that is theirs alone. */
async function isNamed(
  turn: Turn,
  { id, name, full_name = "" }: KnownPerson,
  isOnly: (name: string) => Promise<boolean>,
): Promise<boolean> {
  if (isMentioned(turn, id)) return true;
  for (const each of [name, full_name]) {
    const said = saysName(turn.text, each);
    if (said !== undefined && (await isOnly(said))) return true;
  }
  return false;
}

function wantedGroup({ id, name, members = Number.POSITIVE_INFINITY }: KnownGroup, turn: Turn): Wanted {
  const isSaid = saysName(turn.text, name) === name;
  const free = (isMentioned(turn, id) || isSaid) && members <= largeGroup;
  return { id, name, mention: `<@&${id}>`, free, people: members };
}

function isMentioned({ mentions = [], author }: Turn, id: string): boolean {
  return author.id === id || mentions.some((each) => each.id === id);
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

/**
 * Decides whom messages of a turn may mention. The person of the turn and people whom their message mentions or names
 * (`values/said-line.ts`) need no confirmation; the person confirms everybody else. Mentions of everyone are never possible.
 */

import { nearestNames } from "../../base/nearest-name.ts";
import { approveWithin } from "../decisions/approval.ts";
import { notApproved } from "../decisions/not-approved.ts";
import type {
  ChannelAccess,
  ChannelMessage,
  ChatActions,
  ChatWork,
  KnownGroup,
  KnownPerson,
} from "../ports/chat-actions.ts";
import { type ChatPlatform, type Decider, PlatformError } from "../ports/chat-platform.ts";
import { saidIn, type Turn } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { CallInWords } from "../values/call-arguments.ts";
import type { Place } from "../values/place.ts";
import { plainName, saysName, wordsOf } from "../values/said-line.ts";

/** Maximum people and groups that one turn may mention. */
const maxMentions = 20;
/** A larger group than this is confirmed even if the message mentions it. */
const largeGroup = 25;

interface Wanted {
  id: string;
  name: string;
  mention: string;
  /** Needs no confirmation. */
  free: boolean;
  /** Number of people it notifies. */
  people: number;
}

export function createMentioning({ scope, callId, actions, doing, ask }: ChatDesk): ChatWork["name"] {
  const { turn, state } = scope;
  return async (called) => {
    const found = new Map<string, Wanted>();
    for (const name of new Set(called.map(bareId))) {
      const one = await look(name);
      found.set(one.id, one);
    }
    const wanted = [...found.values()];
    if (state.named.size + wanted.length > maxMentions) throw tooMany(wanted.length);
    const open = wanted.filter(({ free, id }) => !free && !state.named.has(id));
    if (open.length > 0) await ask(questionFor(open));
    await scope.emit({ type: "people_named", call_id: callId, ids: wanted.map(({ id }) => id) });
    return wanted.map(({ id, name, mention }) => ({ id, name, mention }));
  };

  async function look(name: string): Promise<Wanted> {
    const { people } = actions();
    if (people === undefined)
      throw new SkillFailure("not_here", "There is nobody else to call here.", tellThem);
    const find = (words: string, most: number) =>
      doing(() => people(turn.place.namespace, { words, asker: turn.author.id, most }));
    const found = await find(name, maxNamesakes);
    const called = calledIn(found, name);
    const [only] = called;
    if (only === undefined) {
      const all = await find("", maxNearby);
      throw notOne(`There is nobody called ${plainName(name)} here.`, [
        ...found.people,
        ...near(name, all.people),
      ]);
    }
    if (called.length > 1 || (found.more && only.id !== name))
      throw notOne(`${plainName(name)} may be one of several.`, called);
    if ("callable" in only) return wantedGroup(only, turn);
    const isOnly = async (said: string) => isOnlyOne(await find(said, maxNamesakes), only, said);
    return { ...calledPerson(only), free: await isNamed(turn, only, isOnly) };
  }
}

/** The person or group with this id, otherwise those with this name; people of the channel before others. */
function calledIn({ people, groups }: Found, name: string): (KnownPerson | KnownGroup)[] {
  const known = [...people, ...groups].find(({ id }) => id === name);
  if (known !== undefined) return [known];
  const called = people.filter((person) => isCalled(person, name));
  const here = called.filter((person) => isMeant(person, name));
  const wanted = wordsOf(name);
  const same = groups.filter((group) => wanted !== "" && wordsOf(group.name) === wanted);
  return [...(here.length > 0 ? here : called), ...same];
}

/** People whose name is spelled similarly. */
function near(name: string, people: readonly KnownPerson[]): KnownPerson[] {
  const names = people.flatMap(({ name: called, full_name = called }) => [called, full_name]);
  const alike = nearestNames(name, names);
  return people.filter(({ name: called, full_name = called }) =>
    [called, full_name].some((each) => alike.includes(each)),
  );
}

/** The id in `<@U1>`, `<@&R1>` or `@U1`. */
export function bareId(text: string): string {
  return text.replace(/^<?@?&?!?|>$/g, "").trim();
}

function calledPerson({ id, name }: KnownPerson): Omit<Wanted, "free"> {
  return { id, name, mention: `<@${id}>`, people: 1 };
}

/** Maximum people of one name that are compared. */
const maxNamesakes = 50;

/** Maximum people whose names are compared with a name that nobody has. */
const maxNearby = 200;

type Found = Awaited<ReturnType<NonNullable<ChatActions["people"]>>>;

/** Whether a name is unique: a single word among the people here, a full name among all people. */
function isOnlyOne({ people, more }: Found, person: KnownPerson, name: string): boolean {
  const meant = people.filter((each) => isMeant(each, name));
  return !more && isMeant(person, name) && meant.length === 1;
}

/** Whether a name, or the beginning of it, is that of a person. */
function isCalled({ name, full_name = "" }: KnownPerson, called: string): boolean {
  const wanted = wordsOf(called);
  return wanted !== "" && [name, full_name].some((each) => `${wordsOf(each)} `.startsWith(`${wanted} `));
}

function isMeant(person: KnownPerson, called: string): boolean {
  return (person.here || wordsOf(called).includes(" ")) && isCalled(person, called);
}

/** Whether the message mentions a person, or contains their full name, or its first word if nobody else has it. */
async function isNamed(
  turn: Turn,
  { id, name, full_name = "" }: KnownPerson,
  isOnly: (name: string) => Promise<boolean>,
): Promise<boolean> {
  if (isMentioned(turn, id)) return true;
  for (const each of [name, full_name]) {
    const said = saysName(saidIn(turn), each);
    if (said !== undefined && (await isOnly(said))) return true;
  }
  return false;
}

function wantedGroup(group: KnownGroup, turn: Turn): Wanted {
  if (!group.callable) throw notCallable(group);
  const { id, name, members = Number.POSITIVE_INFINITY } = group;
  const isSaid = saysName(saidIn(turn), name) === name;
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
    says: { deed: `mention ${names.join(", ")}${many}`, names: ["people"] },
    input: { people: names },
    reason: "A mention notifies them, and your message did not name them.",
  };
}

function tooMany(count: number): SkillFailure {
  const message = `A turn may mention ${maxMentions} people and groups; ${count} more were asked for.`;
  return new SkillFailure("too_many", message, "Mention a group instead, or write names as plain text.");
}

/** Maximum people of whom the model is told that they may be meant. */
const maxCandidates = 10;

function notOne(problem: string, candidates: readonly (KnownPerson | KnownGroup)[]): SkillFailure {
  const labels = candidates.slice(0, maxCandidates).map((each) => {
    const full = "full_name" in each && each.full_name !== undefined ? `, ${plainName(each.full_name)}` : "";
    return `${plainName(each.name)}${full} (${each.id})`;
  });
  const hint =
    labels.length === 0
      ? "Look people up, or ask the person who is meant."
      : `Possible: ${labels.join("; ")}. Give the id of the one who is meant, or ask the person.`;
  return new SkillFailure("no_person", problem, hint);
}

function notCallable({ name }: KnownGroup): SkillFailure {
  const message = `The person may not notify the group ${name} themselves, so the bot does not either.`;
  return new SkillFailure("not_allowed", message, "Write its name as plain text, and say so.");
}

/** Shared parts of the actions in the chat. */
export interface ChatDesk {
  scope: TurnScope;
  callId: string;
  skillId: string;
  /** The actions available here. @throws SkillFailure if there are none */
  actions(): ChatActions;
  channel(name?: string): Promise<ChannelAccess>;
  message(reference: string): Promise<ChannelMessage>;
  /** Runs a platform action; its refusal becomes a failure for the model. */
  doing<T>(work: () => Promise<T>): Promise<T>;
  /** Asks the person of the turn. Returns the text that they wrote in place of the quoted one. @throws SkillFailure if they refuse */
  ask(what: {
    action: string;
    says: CallInWords;
    input: Record<string, string | string[]>;
    reason: string;
  }): Promise<string | undefined>;
}

/** The hint for a model when an action is not possible. */
export const tellThem = "Tell the person.";

export function createDesk(scope: TurnScope, callId: string, skillId: string): ChatDesk {
  const { turn, ports } = scope;
  const here = turn.place.namespace;
  const actions = (): ChatActions => {
    const found = ports.chats.actions(here);
    if (found === undefined) throw notHere("look at channels");
    return found;
  };
  const doing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new SkillFailure(`platform_${error.code}`, error.message, tellThem);
    }
  };
  const channel: ChatDesk["channel"] = (name) =>
    doing(async () => {
      const namespace = name === undefined ? here : await namespaceOf(actions(), here, turn.author.id, name);
      const access = namespace === undefined ? undefined : await actions().access(namespace, turn.author.id);
      if (access === undefined) throw noChannel(name);
      return access;
    });
  return {
    scope,
    callId,
    skillId,
    actions,
    channel,
    doing,
    async message(reference) {
      const found = await doing(() => look(scope, actions(), reference));
      if (found === undefined) {
        const hint = "Take the id of a message from a result of reading this channel.";
        throw new SkillFailure("no_message", `There is no message ${reference} in this channel.`, hint);
      }
      return found;
    },
    async ask({ action, ...asked }) {
      const where = { callId: `${callId}/approval:${action}`, skillId };
      const decided = await approveWithin(scope, where, { action, ...asked, approver: "asker" });
      if (decided.approved) return decided.edited;
      throw notApproved(decided, { so: "nothing was done" });
    },
  };
}

/** Number of messages of a thread that are searched for the bot's latest one. */
const latest = 50;

async function look(
  { turn }: TurnScope,
  actions: ChatActions,
  reference: string,
): Promise<ChannelMessage | undefined> {
  const { place } = turn;
  if (reference === "last") {
    const { messages } = await actions.history(place, { most: latest });
    return messages.findLast(({ author }) => author.self);
  }
  if (reference !== "this") return actions.message(place.namespace, reference);
  const id = await askingReference(turn, actions);
  return id === undefined ? undefined : actions.message(place.namespace, id);
}

/** The reference of the message that the turn answers, if it answers one. */
export async function askingReference(
  { place, message }: Turn,
  actions: ChatActions,
): Promise<string | undefined> {
  return message === undefined ? undefined : (actions.reference?.(place, message) ?? message);
}

/** The namespace for a name: the name is a namespace, or that of a channel that both can read. */
async function namespaceOf(
  actions: ChatActions,
  here: string,
  person: string,
  name: string,
): Promise<string | undefined> {
  const wanted = name.trim().replace(/^#/, "").toLowerCase();
  if (wanted === "" || wanted === "here") return here;
  if (name.includes(":")) return name.trim();
  const channels = await actions.channels(here, person);
  return channels.find((each) => each.name.toLowerCase() === wanted)?.namespace;
}

function noChannel(name: string | undefined): SkillFailure {
  const message =
    name === undefined
      ? "This channel cannot be read: the bot or the person is not in it."
      : `There is no channel ${name} that both the person and the bot can read.`;
  return new SkillFailure("no_channel", message, "Tell the person; the bot has to be invited to a channel.");
}

/** The failure of an action that a place does not support. */
export function notHere(what: string): SkillFailure {
  return new SkillFailure("not_here", `This chat cannot ${what}.`, tellThem);
}

/** Maximum people whose names are looked up. */
const maxNamedDeciders = 5;

/** A person who may decide, with their name if it is known. */
export interface NamedDecider extends Decider {
  name?: string | undefined;
}

/** People who may decide a request for this approver in the place, except for one; those who see the place come first. Never throws. */
export async function namedDeciders(
  platform: ChatPlatform | undefined,
  place: Place,
  approver: "manager" | "operator",
  without: string,
): Promise<NamedDecider[]> {
  const found = (await platform?.deciders?.(place, approver)) ?? [];
  return Promise.all(
    found
      .filter(({ id }) => id !== without)
      .map(async (each, index) =>
        index < maxNamedDeciders ? { ...each, name: await nameOf(platform, place, each.id) } : each,
      ),
  );
}

async function nameOf(
  platform: ChatPlatform | undefined,
  place: Place,
  id: string,
): Promise<string | undefined> {
  try {
    return (await platform?.person(place, id))?.name;
  } catch {
    return undefined;
  }
}

/** Some names, and the number of others: `Ann, Ben or 3 others`. */
export function anyOf(some: readonly string[], more: number): string {
  const all = more === 0 ? some : [...some, more === 1 ? "1 other" : `${more} others`];
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} or ${last}`;
}

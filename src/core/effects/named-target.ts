/**
 * Finds the channels, people and groups that a model names: `#x` is a channel; `@x`, `<@id>` and an id are people; a bare word may be
 * either. A name that fits several is never guessed: the failure lists them.
 */

import { nearestNames } from "../../base/text/nearest-name.ts";
import type { ChannelSummary, ChatActions, KnownGroup, KnownPerson } from "../ports/chat-actions.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import { isCalled, labelOf, named, wordsOf } from "../values/label.ts";
import { isDirectMessage } from "../values/place.ts";

/** Where names are looked up, for the person of the turn. */
export interface Directory {
  scope: TurnScope;
  /** The actions available here. @throws SkillFailure if there are none */
  readonly actions: ChatActions;
  /** Runs a platform action; its refusal becomes a failure for the model. */
  doing<T>(work: () => Promise<T>): Promise<T>;
}

/** The hint for a model when an action is not possible. */
export const tellThem = "Tell the person.";

/** Maximum people of one name that are compared. */
const maxNamesakes = 50;

/** Maximum people whose names are compared with a name that nobody has. */
const maxNearby = 200;

/** Maximum candidates of whom the model is told. */
const maxCandidates = 10;

type Found = Awaited<ReturnType<NonNullable<ChatActions["people"]>>>;
type Known = KnownPerson | KnownGroup;

/** The person or group with this id or name. @throws SkillFailure `no_person` unless there is exactly one */
export async function personNamed(directory: Directory, text: string): Promise<Known> {
  const name = bareId(text);
  const { called, isWhole, found } = await peopleCalled(directory, name);
  const [only] = called;
  if (only === undefined) throw await nobody(directory, name, found);
  if (called.length > 1 || !isWhole) throw severalCalled(name, called);
  return only;
}

/**
 * The channel or the person to whom a message goes.
 * @throws SkillFailure `no_channel`, `no_person` or `no_receiver` unless there is exactly one
 */
export async function receiverNamed(
  directory: Directory,
  text: string,
): Promise<{ channel: string } | { person: KnownPerson }> {
  const { people, direct } = directory.actions;
  const isId = /^\s*<?@/.test(text);
  const channel = isId ? undefined : await namespaceNamed(directory, text);
  const isOnlyChannel = /^\s*<?#|:/.test(text) || people === undefined || direct === undefined;
  if (isOnlyChannel && channel === undefined) throw await noChannel(directory, text);
  if (isOnlyChannel && channel !== undefined) return { channel };
  const name = bareId(text);
  const { called, isWhole, found } = await peopleCalled(directory, name);
  // Nobody writes to a group, and to a bot only by mistake.
  const persons = called.flatMap((each) =>
    "callable" in each || (channel !== undefined && each.standing === "bot") ? [] : each,
  );
  const [person] = persons;
  if (person === undefined) {
    if (channel !== undefined) return { channel };
    throw await nobody(directory, name, found, isId ? [] : await channelsOf(directory));
  }
  if (channel === undefined && persons.length === 1 && isWhole) return { person };
  const same = (await channelsOf(directory)).filter(({ namespace }) => namespace === channel);
  throw severalCalled(name, [...same, ...persons]);
}

/** The namespace for a name: the name is a namespace, or that of a channel that both can read. Undefined if there is none. */
export async function namespaceNamed(directory: Directory, text: string): Promise<string | undefined> {
  const name = channelWord(text);
  const { namespace: here } = directory.scope.turn.place;
  if (name === "" || name === "here") return here;
  if (name.includes(":")) return text.trim();
  const isNamed = (each: ChannelSummary) =>
    each.name.toLowerCase() === name || each.namespace.toLowerCase().endsWith(`:${name}`);
  return (await channelsOf(directory)).find(isNamed)?.namespace;
}

/** The failure for a channel that is not there, or that one of the two cannot read; names those that are spelled similarly. */
export async function noChannel(directory: Directory, text: string | undefined): Promise<SkillFailure> {
  if (text === undefined) {
    const unreadable = "This channel cannot be read: the bot or the person is not in it.";
    return new SkillFailure("no_channel", unreadable, toInvite);
  }
  const message = `There is no channel "${labelOf(channelWord(text))}" that both the person and the bot can read.`;
  const alike = near(channelWord(text), await channelsOf(directory), ({ name }) => [name]);
  const hint = alike.length === 0 ? toInvite : `Possible: ${labelsOf(alike)}. Otherwise: ${toInvite}`;
  return new SkillFailure("no_channel", message, hint);
}

const toInvite = "Tell the person; the bot has to be invited to a channel.";

/** The failure for a name that nobody has, and none of these channels. */
async function nobody(
  directory: Directory,
  name: string,
  found: Found,
  channels: readonly ChannelSummary[] = [],
): Promise<SkillFailure> {
  const all = await peopleWith(directory, "", maxNearby);
  const alike = near(name, all.people, ({ name: own, full_name = own }) => [own, full_name]);
  const people = new Map([...found.people, ...alike].map((each) => [each.id, each])).values();
  if (channels.length === 0) return notOne(`There is nobody called "${labelOf(name)}" here.`, [...people]);
  const message = `There is no channel and nobody called "${labelOf(name)}" whom the person and the bot can reach.`;
  return notOne(message, [...near(name, channels, (each) => [each.name]), ...people], "no_receiver");
}

/** Those who have an id, otherwise those who have a name. `isWhole`: there are no more. */
async function peopleCalled(directory: Directory, name: string) {
  const found = await peopleWith(directory, name, maxNamesakes);
  const called = calledIn(found, name);
  return { called, found, isWhole: !found.more || called[0]?.id === name };
}

function peopleWith(directory: Directory, words: string, most: number): Promise<Found> {
  const { people } = directory.actions;
  const { place, author } = directory.scope.turn;
  if (people === undefined)
    throw new SkillFailure("not_here", "There is nobody else to call here.", tellThem);
  return directory.doing(() => people(place.namespace, { words, asker: author.id, most }));
}

async function channelsOf(directory: Directory): Promise<readonly ChannelSummary[]> {
  const { place, author } = directory.scope.turn;
  const all = await directory.doing(() => directory.actions.channels(place.namespace, author.id));
  return all.filter(({ namespace }) => !isDirectMessage(namespace));
}

/** Whether a name is only this person's: a single word among the people here, a full name among all people. */
export async function isOnlyOne(directory: Directory, person: KnownPerson, name: string): Promise<boolean> {
  const { people, more } = await peopleWith(directory, name, maxNamesakes);
  return !more && isMeant(person, name) && people.filter((each) => isMeant(each, name)).length === 1;
}

/** The person or group with this id, otherwise those with this name; people of the channel before others. */
function calledIn({ people, groups }: Found, name: string): Known[] {
  const known = [...people, ...groups].find(({ id }) => id === name);
  if (known !== undefined) return [known];
  const called = people.filter((person) => isCalled(person, name));
  const here = called.filter((person) => isMeant(person, name));
  const wanted = wordsOf(name);
  const same = groups.filter((group) => wanted !== "" && wordsOf(group.name) === wanted);
  return [...(here.length > 0 ? here : called), ...same];
}

function isMeant(person: KnownPerson, called: string): boolean {
  return (person.here || wordsOf(called).includes(" ")) && isCalled(person, called);
}

/** Those with a name that is spelled similarly. */
function near<T>(name: string, all: readonly T[], namesOf: (one: T) => string[]): T[] {
  const alike = nearestNames(name, all.flatMap(namesOf));
  return all.filter((one) => namesOf(one).some((each) => alike.includes(each)));
}

/** The id in `<@U1>`, `<@&R1>` or `@U1`. */
function bareId(text: string): string {
  return text
    .trim()
    .replace(/^<?@?&?!?|>$/g, "")
    .trim();
}

/** The name or id in `#general` or `<#C1|general>`, in lower case. */
function channelWord(text: string): string {
  const [word = ""] = text.trim().replace(/^<?#/, "").split(/[|>]/, 1);
  return word.toLowerCase();
}

function severalCalled(name: string, called: readonly (Known | ChannelSummary)[]): SkillFailure {
  return notOne(`"${labelOf(name)}" may be one of several.`, called);
}

function notOne(
  problem: string,
  candidates: readonly (Known | ChannelSummary)[],
  code = "no_person",
): SkillFailure {
  const hint =
    candidates.length === 0
      ? "Look people up, or ask the person who is meant."
      : `Possible: ${labelsOf(candidates)}. Give the id or #channel that is meant, or ask the person.`;
  return new SkillFailure(code, problem, hint);
}

function labelsOf(candidates: readonly (Known | ChannelSummary)[]): string {
  const labels = candidates.slice(0, maxCandidates).map((each) => {
    if ("namespace" in each) return `#${named(each.name, each.namespace)}`;
    const full = "full_name" in each && each.full_name !== undefined ? ` "${labelOf(each.full_name)}"` : "";
    return `${named(each.name, each.id)}${full}`;
  });
  return labels.join("; ");
}

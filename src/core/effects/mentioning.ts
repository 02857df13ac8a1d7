/**
 * Decides whom messages of a turn may mention. The person of the turn and people whom their message mentions or names
 * (`values/said-line.ts`) need no confirmation; the person confirms everybody else. Mentions of everyone are never possible.
 */

import { sha256 } from "../../base/sha256.ts";
import { approveWithin } from "../decisions/approval.ts";
import { askedFiles } from "../decisions/asked-files.ts";
import { notApproved } from "../decisions/not-approved.ts";
import { personOnCard } from "../decisions/person-on-card.ts";
import type {
  ChannelAccess,
  ChannelMessage,
  ChatActions,
  ChatWork,
  KnownGroup,
  KnownPerson,
} from "../ports/chat-actions.ts";
import { type ChatPlatform, type Decider, type OutgoingFile, PlatformError } from "../ports/chat-platform.ts";
import { saidIn, type Turn } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { CallInWords } from "../values/call-arguments.ts";
import { canonicalJson } from "../values/json.ts";
import { labelOf, mentioned, named } from "../values/label.ts";
import type { Place } from "../values/place.ts";
import { saysAfterAt, saysName } from "../values/said-line.ts";
import {
  type Directory,
  isOnlyOne,
  namespaceNamed,
  noChannel,
  personNamed,
  tellThem,
} from "./named-target.ts";

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

async function questionFor(
  { scope }: ChatDesk,
  open: readonly Wanted[],
): Promise<Parameters<ChatDesk["ask"]>[0]> {
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

/** Shared parts of the actions in the chat. */
export interface ChatDesk extends Directory {
  callId: string;
  skillId: string;
  channel(name?: string): Promise<ChannelAccess>;
  message(reference: string): Promise<ChannelMessage>;
  /**
   * Asks the person of the turn. A decision covers this input alone. Returns the text that they wrote in place of the quoted one.
   * @throws SkillFailure if they refuse
   */
  ask(what: {
    action: string;
    says: CallInWords;
    input: Record<string, string | string[]>;
    /** What the message brings along, apart from the input. */
    files?: readonly OutgoingFile[];
    reason: string;
  }): Promise<string | undefined>;
}

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
      const namespace = name === undefined ? here : await namespaceNamed({ scope, actions, doing }, name);
      const access = namespace === undefined ? undefined : await actions().access(namespace, turn.author.id);
      if (access === undefined) throw await noChannel({ scope, actions, doing }, name);
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
    async ask({ action, files = [], ...asked }) {
      // Identified by what is asked: a call may ask for several things at the same time.
      const print = (await sha256(canonicalJson(asked.input))).slice(0, 32);
      const where = { callId, key: `${action}:${print}`, skillId };
      const decided = await approveWithin(
        scope,
        where,
        { action, ...asked, approver: "asker" },
        (_input, purpose) => askedFiles(scope, files, purpose),
      );
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

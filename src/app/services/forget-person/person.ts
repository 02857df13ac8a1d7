import { setImmediate as nextTick } from "node:timers/promises";
import { pattern } from "../../../base/pattern.ts";
import type { TurnReading, TurnRecord } from "../../../core/log/turn-log.ts";
import { isDirectMessage, isWithin } from "../../../core/values/place.ts";

/** A person on a platform, as stored data names them. */
export interface Person {
  platform: string;
  /** `*` is every workspace of the platform. */
  workspace: string;
  /** The platform's user id. */
  id: string;
}

/** The form that `--user` takes. */
export function writtenAs({ platform, workspace, id }: Person): string {
  return `${platform}:${workspace}:${id}`;
}

const wholeKey = /^([a-z][a-z0-9-]*):([^:]+):(.+)$/;

/** The person that `platform:workspace:id` names; undefined for any other text. */
export function readPerson(text: string): Person | undefined {
  const [, platform, workspace, id] = wholeKey.exec(text) ?? [];
  if (platform === undefined || workspace === undefined || id === undefined) return undefined;
  return { platform, workspace, id };
}

/** Whether the person's id means this person in a namespace. */
export function isAt({ platform, workspace }: Person, namespace: string): boolean {
  return isWithin(namespace, platform, workspace === "*" ? undefined : workspace);
}

/** Whether a namespace is the person's direct messages. */
export function isOwnDirectMessage(person: Person, namespace: string): boolean {
  return isAt(person, namespace) && isDirectMessage(namespace) && namespace.endsWith(`:dm-${person.id}`);
}

/** Matches stored JSON that names the person: by id, in quotes, brackets or a mention, or by one of the names as whole words. */
export function namedAs({ id }: Person, names: readonly string[]): RegExp {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const letter = /[\p{L}\p{N}]/u;
  const named = (all: RegExp, name: string) =>
    pattern("u")`${all}|(?<!${letter})${inJson(name)}(?!${letter})`;
  return names.reduce(named, pattern("u")`["(@]${inJson(id)}["\\)>]`);
}

/** Turns read at a time. */
const pageSize = 100;

/** Turns that match the filter, newest first, read in pages. Turns whose author was replaced are not found by their author. */
export async function* turnsIn(
  log: TurnReading,
  filter: { namespace?: string; thread?: string; author?: string },
): AsyncGenerator<TurnRecord> {
  for (let before: string | undefined; ; ) {
    const page = await log.list({ ...filter, before, limit: pageSize });
    for (const turn of page) {
      yield turn;
      // The log answers without yielding, so this lets other work run.
      await nextTick();
    }
    before = page.at(-1)?.turn_id;
    if (page.length < pageSize) return;
  }
}

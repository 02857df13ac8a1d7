import { createHmac, randomBytes } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import type { TurnReading, TurnRecord } from "../../../core/log/turn-log.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { isDirectMessage, isWithin } from "../../../core/values/place.ts";

/** Somebody on a platform, as what is stored names them. */
export interface Person {
  platform: string;
  /** `*`: in every workspace of the platform. */
  workspace: string;
  /** The platform's user id. */
  id: string;
}

/** As `--user` takes it. */
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

/** Whether a namespace is where the person's id means this person. */
export function isAt({ platform, workspace }: Person, namespace: string): boolean {
  return isWithin(namespace, platform, workspace === "*" ? undefined : workspace);
}

/** Whether a namespace is the person's direct messages. */
export function isOwnDirectMessage(person: Person, namespace: string): boolean {
  return isAt(person, namespace) && isDirectMessage(namespace) && namespace.endsWith(`:dm-${person.id}`);
}

/** Turns read at a time. */
const pageSize = 100;

/** The turns of a user id on all platforms, newest first; those whose author was replaced have another id. */
export async function* turnsOf(log: TurnReading, id: string): AsyncGenerator<TurnRecord> {
  yield* turnsIn(log, { author: id });
}

/** Turns that fit, newest first, read in pages. */
export async function* turnsIn(
  log: TurnReading,
  filter: { namespace?: string; thread?: string; author?: string },
): AsyncGenerator<TurnRecord> {
  for (let before: string | undefined; ; ) {
    const page = await log.list({ ...filter, before, limit: pageSize });
    for (const turn of page) {
      yield turn;
      // Answers of the log come without a pause: the bot does other things in between.
      await nextTick();
    }
    before = page.at(-1)?.turn_id;
    if (page.length < pageSize) return;
  }
}

const keyName = "pseudonym-key";

/** What stands for a person who was forgotten: always the same, and made with a key that only this store has. */
export async function pseudonymOf(store: KeyValue, person: Person): Promise<string> {
  const key = await store.update<string>(keyName, (known) => known ?? randomBytes(32).toString("hex"));
  const { platform, workspace, id } = person;
  const named = JSON.stringify(workspace === "*" ? [platform, id] : [platform, workspace, id]);
  return `person-${createHmac("sha256", key).update(named).digest("hex").slice(0, 8)}`;
}

import { createHmac, randomBytes } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import type { KeyValue } from "../../../core/key-value.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { isDirectMessage } from "../../../core/place.ts";
import type { TurnReading, TurnRecord } from "../../../core/turn-log.ts";
import type { StoredAudit } from "../stored-audit.ts";

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

/** Whether a namespace is where the person's id means this person. */
export function isAt({ platform, workspace }: Person, namespace: string): boolean {
  const [onPlatform, inWorkspace] = namespace.split(":");
  return onPlatform === platform && (workspace === "*" || inWorkspace === workspace);
}

/** Whether a namespace is the person's direct messages. */
export function isOwnDirectMessage(person: Person, namespace: string): boolean {
  return isAt(person, namespace) && isDirectMessage(namespace) && namespace.endsWith(`:dm-${person.id}`);
}

const wholeKey = /^([a-z][a-z0-9-]*):([^:]+):(.+)$/;

/**
 * Who is meant: `platform:workspace:id`, or an id that only one person has of whom something is stored. `platform:*:id` is the
 * person with this id in all workspaces.
 */
export async function findPerson(
  log: TurnReading,
  audit: StoredAudit,
  user: string,
): Promise<Outcome<Person>> {
  const [, platform, workspace, id] = wholeKey.exec(user) ?? [];
  if (platform !== undefined && workspace !== undefined && id !== undefined)
    return { ok: true, value: { platform, workspace, id } };
  const found = new Map<string, Person>();
  const note = (namespace: string) => {
    const [onPlatform = "", inWorkspace = ""] = namespace.split(":");
    const person = { platform: onPlatform, workspace: inWorkspace, id: user };
    found.set(writtenAs(person), person);
  };
  for await (const { namespace } of turnsOf(log, user)) note(namespace);
  for await (const { by, about, namespace } of audit.lines())
    if (by === user || about === user) note(namespace);
  const [person, ...others] = found.values();
  if (person === undefined) {
    const message = `Nothing that ${user} said or changed is stored. Somebody who was only read in other people's threads is named as platform:workspace:id, such as slack:T0123:U0123.`;
    return { ok: false, status: 404, message };
  }
  if (others.length === 0) return { ok: true, value: person };
  const names = [person, ...others].map(writtenAs).join(", ");
  const message = `Several people may have the id ${user}: ${names}. Name one of them. If they are one person, as on Discord, name ${person.platform}:*:${user}.`;
  return { ok: false, status: 409, message, code: "several_people" };
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

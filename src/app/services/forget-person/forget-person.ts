import { errorText } from "../../../base/error-text.ts";
import { type Asker, failed, type Outcome } from "../../../core/values/failure.ts";
import { deletedPerson } from "../../../core/values/inbound.ts";
import type { AuditLine } from "../stored-audit.ts";
import { storedNamespaces } from "../stored-namespaces.ts";
import { findPerson, notesPrefix } from "./find-person.ts";
import type { ForgottenPerson } from "./forgotten-person.ts";
import { isAt, isOwnDirectMessage, namedAs, type Person, turnsIn, writtenAs } from "./person.ts";
import { type Forgets, type PersonTraces, PersonTurns } from "./person-turns.ts";
import { PersonValues } from "./person-values.ts";

/** Set while deleted bytes may still be in the files. The next run removes them, even if the person is no longer found. */
const unscrubbedKey = "forgetting-files";

const notesKey = (person: Person) => notesPrefix + writtenAs(person);

/** Deletes people from everything that is stored. Every step can be repeated: after a crash, or when something is left, another run does the rest. */
export class PersonForgetting {
  readonly #in: PersonTraces;
  #isBusy = false;

  constructor(traces: PersonTraces) {
    this.#in = traces;
  }

  /** Deletes a person, `user` as in `findPerson`. For operators. */
  async forget(
    user: string,
    asker: Asker,
    { dryRun = false, leavePosts = false }: Partial<Omit<Forgets, "by">> = {},
  ): Promise<Outcome<ForgottenPerson>> {
    const found = await findPerson(this.#in, user);
    const isUnscrubbed = !dryRun && (await this.#in.store.get(unscrubbedKey)) !== undefined;
    if (!found.ok && !isUnscrubbed) return found;
    if (this.#isBusy) {
      return failed(409, "The bot is already deleting a person. Try again when that has ended.", "busy");
    }
    this.#isBusy = true;
    try {
      if (found.ok)
        return { ok: true, value: await this.#forget(found.value, asker, { dryRun, leavePosts }) };
      const [problem] = await this.#emptyFreeSpace();
      return problem === undefined ? found : failed(503, problem);
    } finally {
      this.#isBusy = false;
    }
  }

  async #forget(person: Person, asker: Asker, how: Omit<Forgets, "by">): Promise<ForgottenPerson> {
    const { store, stored, openings, copies } = this.#in;
    const { dryRun } = how;
    const turns = new PersonTurns(this.#in, person, { by: asker.by, ...how });
    const values = new PersonValues(this.#in, person, how);
    // Before the first deletion: after a crash, the next run removes the bytes.
    if (!dryRun) await store.set(unscrubbedKey, true);
    const names = await this.#noteNames(person, values, dryRun);
    const known = await storedNamespaces(this.#in);
    // Plans first: they could begin another turn of the person.
    let plans = await values.plans();
    const own = await turns.forgetOwn();
    // A turn may have planned something before it was stopped.
    if (!dryRun) plans += await values.plans();
    const facts = await values.facts();
    const named = namedAs(person, names);
    const swept = await turns.sweepThreads(
      named,
      new Set(await openings.removeNaming(named, { dryRun: true })),
    );
    // After the turns, which are found by them.
    if (!dryRun) await openings.removeNaming(named);
    const counts = await values.ofChannels(known);
    const unplaced = await values.unplaced();
    const copied = (await copies?.remove({ dryRun })) ?? [];
    const lines = await stored.rewrite((line) => withoutPerson(line, person), { dryRun });
    const left = [...own.left, ...swept.left];
    if (!dryRun) left.push(...(await this.#finish(person, asker, swept.records, left.length === 0)));
    return {
      user: writtenAs(person),
      dry_run: dryRun,
      complete: left.length === 0,
      turns: own.count,
      other_turns: swept.count,
      facts,
      plans,
      ...counts,
      feedback: counts.feedback + unplaced.feedback,
      blanked: counts.blanked + unplaced.blanked + lines,
      kept: swept.kept,
      left,
      copies: copied.length === 0 ? undefined : copied,
    };
  }

  /** The names of the person, which are noted until everything is deleted: a run after a crash needs them. */
  async #noteNames(person: Person, values: PersonValues, dryRun: boolean): Promise<string[]> {
    const { store, log, knowledge } = this.#in;
    const names = new Set(((await store.get(notesKey(person))) ?? []) as string[]);
    for await (const { namespace, author } of turnsIn(log, { author: person.id }))
      if (isAt(person, namespace)) names.add(author.name);
    for await (const told of values.told()) for (const name of told.names) names.add(name);
    const namespaces = ((await knowledge?.namespaces()) ?? []).filter((each) => isAt(person, each));
    const lists = await Promise.all(namespaces.map((each) => knowledge?.list(each)));
    for (const { author, by } of lists.flatMap((list) => list ?? [])) if (author === person.id) names.add(by);
    names.delete("");
    if (!dryRun) await store.set(notesKey(person), [...names]);
    return [...names];
  }

  /** Removes the person from the records of deleted turns, and the deleted bytes from the files. Returns what is left to do. */
  async #finish(person: Person, asker: Asker, records: readonly string[], isDone: boolean) {
    const { log, store, audit, stored } = this.#in;
    if (isDone) await log.disown(records, person.id);
    const detail = `deleted ${isDone ? "everything" : "a part of what is"} stored of a person`;
    audit.record({ action: "person_forgotten", ...asker, subject: deletedPerson.id, detail });
    await stored.settled();
    if (isDone) await store.delete(notesKey(person));
    return this.#emptyFreeSpace();
  }

  /** Removes deleted bytes from the files. Returns what is left to do. */
  async #emptyFreeSpace(): Promise<string[]> {
    const { log, store, files, index, knowledge, logger } = this.#in;
    try {
      await log.scrub({ rebuild: true });
      await files.scrub();
      await index.scrub();
      await knowledge?.scrub();
      await store.scrub();
    } catch (error) {
      logger.warn({ err: error }, "What was deleted may still lie in the free space of the files");
      const reason = errorText(error);
      return [
        `The data is deleted, but may still be in the free space of the database files: ${reason}. Rewriting a file needs free disk space of the size of the file. Check the disk, then run this again.`,
      ];
    }
    await store.delete(unscrubbedKey);
    return [];
  }
}

/** A line of the audit without the person; undefined if nothing of it is left. */
function withoutPerson(line: AuditLine, person: Person): AuditLine | undefined {
  if (!isAt(person, line.namespace)) return line;
  if (isOwnDirectMessage(person, line.namespace)) return undefined;
  const { about, about_name: _name, ...rest } = line;
  if (line.by !== person.id && about !== person.id && line.subject !== person.id) return line;
  const by = line.by === person.id ? { by: deletedPerson.id, by_name: deletedPerson.name } : {};
  const subject = line.subject === person.id ? deletedPerson.id : line.subject;
  return { ...rest, ...by, subject, detail: "" };
}

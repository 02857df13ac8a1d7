import { errorText } from "../../../base/error-text.ts";
import type { Asker } from "../../../core/values/failure.ts";
import { deletedPerson } from "../../../core/values/inbound.ts";
import type { AuditLine } from "../stored-audit.ts";
import { storedNamespaces } from "../stored-namespaces.ts";
import { findPerson, notesPrefix } from "./find-person.ts";
import type { ForgetPerson, ForgetPersonOptions, ForgottenPerson } from "./forgotten-person.ts";
import { isAt, isOwnDirectMessage, namedAs, type Person, writtenAs } from "./person.ts";
import { sweepThreads } from "./person-threads.ts";
import { forgetOwnTurns, namesOf, type PersonDeps } from "./person-turns.ts";
import {
  factsOf,
  removeFacts,
  removePlans,
  type Sweep,
  sweepUnplaced,
  sweepValues,
} from "./person-values.ts";

export function createForgetPerson(deps: PersonDeps): ForgetPerson {
  let busy = false;
  return async (user, asker, { dryRun = false, leavePosts = false } = {}) => {
    const found = await findPerson(deps, user);
    const isUnscrubbed = !dryRun && (await deps.store.get(unscrubbedKey)) !== undefined;
    if (!found.ok && !isUnscrubbed) return found;
    if (busy) {
      const message = "The bot is already deleting a person. Try again when that has ended.";
      return { ok: false, status: 409, message, code: "busy" };
    }
    busy = true;
    try {
      if (found.ok)
        return { ok: true, value: await forgetPerson(deps, found.value, asker, { dryRun, leavePosts }) };
      const [problem] = await emptyFreeSpace(deps);
      return problem === undefined ? found : { ok: false, status: 503, message: problem };
    } finally {
      busy = false;
    }
  };
}

async function forgetPerson(
  deps: PersonDeps,
  person: Person,
  asker: Asker,
  { dryRun, leavePosts }: Required<ForgetPersonOptions>,
): Promise<ForgottenPerson> {
  const { store, stored } = deps;
  // Before the first deletion: after a crash, the next run removes the bytes.
  if (!dryRun) await store.set(unscrubbedKey, true);
  const names = await noteNames(deps, person, dryRun);
  const sweep: Sweep = { person, known: await storedNamespaces(deps), dryRun };
  const options = { by: asker.by, dryRun, leavePosts };
  // Plans first: they could begin another turn of the person.
  let plans = await removePlans(deps, sweep);
  const own = await forgetOwnTurns(deps, person, options);
  // A turn may have planned something before it was stopped.
  if (!dryRun) plans += await removePlans(deps, sweep);
  const facts = await removeFacts(store, person, dryRun);
  const named = namedAs(person, names);
  const openings = new Set(await deps.openings.removeNaming(named, { dryRun: true }));
  const swept = await sweepThreads(deps, { person, named, openings }, options);
  // After the turns, which are found by them.
  if (!dryRun) await deps.openings.removeNaming(named);
  const values = await sweepValues(deps, sweep);
  const unplaced = await sweepUnplaced(deps, sweep);
  const copies = (await deps.copies?.remove({ dryRun })) ?? [];
  const lines = await stored.rewrite((line) => withoutPerson(line, person), { dryRun });
  const left = [...own.left, ...swept.left];
  if (!dryRun) left.push(...(await finish(deps, person, { asker, isDone: left.length === 0, ...swept })));
  return {
    user: writtenAs(person),
    dry_run: dryRun,
    complete: left.length === 0,
    turns: own.count,
    other_turns: swept.count,
    facts,
    plans,
    ...values,
    feedback: values.feedback + unplaced.feedback,
    blanked: values.blanked + unplaced.blanked + lines,
    kept: swept.kept,
    left,
    copies: copies.length === 0 ? undefined : copies,
  };
}

/** The names of the person, which are noted until everything is deleted: a run after a crash needs them. */
async function noteNames(deps: PersonDeps, person: Person, dryRun: boolean): Promise<string[]> {
  const { store } = deps;
  const noted = (await store.get(notesKey(person))) ?? [];
  const names = new Set([...(noted as string[]), ...(await namesOf(deps, person))]);
  for await (const told of factsOf(store, person)) for (const name of told.names) names.add(name);
  for (const name of await documentNames(deps, person)) names.add(name);
  if (!dryRun) await store.set(notesKey(person), [...names]);
  return [...names];
}

const notesKey = (person: Person) => notesPrefix + writtenAs(person);

/** Names of the person on documents they added. */
async function documentNames({ knowledge }: PersonDeps, person: Person): Promise<string[]> {
  const namespaces = (await knowledge?.namespaces()) ?? [];
  const lists = namespaces.filter((each) => isAt(person, each)).map((each) => knowledge?.list(each));
  const documents = (await Promise.all(lists)).flatMap((list) => list ?? []);
  return documents.flatMap(({ author, by }) => (author === person.id && by !== "" ? [by] : []));
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

/** Removes the person from the records of deleted turns, and the deleted bytes from the files. Returns what is left to do. */
async function finish(
  deps: PersonDeps,
  person: Person,
  { asker, isDone, records }: { asker: Asker; isDone: boolean; records: readonly string[] },
): Promise<string[]> {
  const { log, store, audit, stored } = deps;
  if (isDone) await log.disown(records, person.id);
  const detail = `deleted ${isDone ? "everything" : "a part of what is"} stored of a person`;
  audit.record({ action: "person_forgotten", ...asker, subject: deletedPerson.id, detail });
  await stored.settled();
  if (isDone) await store.delete(notesKey(person));
  return emptyFreeSpace(deps);
}

/** Set while deleted bytes may still be in the files. The next run removes them, even if the person is no longer found. */
const unscrubbedKey = "forgetting-files";

/** Removes deleted bytes from the files. Returns what is left to do. */
async function emptyFreeSpace(deps: PersonDeps): Promise<string[]> {
  const { log, store, files, index, knowledge, logger } = deps;
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

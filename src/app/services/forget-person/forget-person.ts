import { errorText } from "../../../base/error-text.ts";
import type { Asker } from "../../../core/values/failure.ts";
import type { StoredOpenings } from "../../turns/openings.ts";
import type { Audit } from "../audit.ts";
import { wasForgotten } from "../forgetting.ts";
import type { AuditLine, StoredAudit } from "../stored-audit.ts";
import { storedNamespaces } from "../stored-namespaces.ts";
import { type FindPersonDeps, findPerson, notesPrefix } from "./find-person.ts";
import type { ForgetPerson, ForgetPersonOptions, ForgottenPerson } from "./forgotten-person.ts";
import { isAt, isOwnDirectMessage, type Person, pseudonymOf, turnsOf, writtenAs } from "./person.ts";
import { factsOf, removeFacts } from "./person-facts.ts";
import {
  forgetFolders,
  forgetOwnTurns,
  namesOf,
  type PersonTurnsDeps,
  stripOtherTurns,
} from "./person-turns.ts";
import { removePlans, type Sweep, sweepUnplaced, sweepValues } from "./person-values.ts";

export interface ForgetPersonDeps extends PersonTurnsDeps, Omit<FindPersonDeps, keyof PersonTurnsDeps> {
  store: FindPersonDeps["store"];
  stored: StoredAudit;
  audit: Audit;
  openings: StoredOpenings;
}

export function createForgetPerson(deps: ForgetPersonDeps): ForgetPerson {
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
  deps: ForgetPersonDeps,
  person: Person,
  asker: Asker,
  { dryRun, leavePosts }: Required<ForgetPersonOptions>,
): Promise<ForgottenPerson> {
  const { store, stored } = deps;
  const pseudonym = await pseudonymOf(store, person);
  // Before the first deletion: after a crash, the next run removes the bytes.
  if (!dryRun) await store.set(unscrubbedKey, true);
  const notes = await takeNotes(deps, person, dryRun);
  const names = new Set(notes.names);
  const sweep: Sweep = { person, pseudonym, known: await storedNamespaces(deps), dryRun };
  const options = { by: asker.by, dryRun, leavePosts };
  // Plans first: they could begin another turn of the person.
  let plans = await removePlans(deps, sweep);
  const own = await forgetOwnTurns(deps, person, options);
  const kept = dryRun ? [] : await forgetFolders(deps, own.threads.values());
  // A turn may have planned something before it was stopped.
  if (!dryRun) plans += await removePlans(deps, sweep);
  const facts = await forgetFacts(deps, person, dryRun);
  const openings = new Set(await deps.openings.removeSaying(Object.values(notes.facts).flat(), { dryRun }));
  const traces = { person, names, facts: new Map(Object.entries(notes.facts)), openings, own };
  const others = await stripOtherTurns(deps, traces, options);
  const values = await sweepValues(deps, sweep);
  const unplaced = await sweepUnplaced(deps, sweep);
  const isThere = (namespace: string) => isAt(person, namespace);
  const messages = await deps.index.clearAuthor(person.id, isThere, { dryRun });
  const documents = (await deps.knowledge?.clearAuthor(person.id, isThere, { dryRun })) ?? 0;
  const copies = (await deps.copies?.remove({ dryRun })) ?? [];
  const audit_lines = await stored.rewrite((line) => withPseudonym(line, person, pseudonym), { dryRun });
  const left = [...own.left, ...others.left];
  if (!dryRun) {
    const isDone = left.length === 0;
    left.push(...(await finish(deps, person, { pseudonym, asker, isDone, deleted: others.deleted })));
  }
  return {
    user: writtenAs(person),
    pseudonym,
    dry_run: dryRun,
    complete: left.length === 0,
    turns: own.count,
    other_turns: others.count,
    facts,
    documents,
    messages,
    plans,
    ...values,
    feedback: values.feedback + unplaced.feedback,
    renamed: values.renamed + unplaced.renamed,
    audit_lines,
    kept: [...new Set([...kept, ...others.kept])],
    left,
    ...(copies.length === 0 ? {} : { copies }),
  };
}

async function forgetFacts({ store }: ForgetPersonDeps, person: Person, dryRun: boolean): Promise<number> {
  // A pinned fact has two keys.
  const gone = new Set<string>();
  for await (const told of factsOf(store, person)) {
    for (const text of told.texts) gone.add(JSON.stringify([told.namespace, text]));
    if (!dryRun) await removeFacts(store, told, person);
  }
  return gone.size;
}

/** Notes that help to find the rest after a crash. They are deleted last. */
type Notes = { names: string[]; facts: { [namespace: string]: string[] } };

const notesKey = (person: Person) => notesPrefix + writtenAs(person);

async function takeNotes(deps: ForgetPersonDeps, person: Person, dryRun: boolean): Promise<Notes> {
  const { store } = deps;
  const before = ((await store.get(notesKey(person))) ?? { names: [], facts: {} }) as Notes;
  const names = new Set([...before.names, ...(await namesOf(deps, person))]);
  for await (const told of factsOf(store, person)) for (const name of told.names) names.add(name);
  for (const name of await documentNames(deps, person)) names.add(name);
  const facts = { ...before.facts };
  for await (const { namespace, texts } of factsOf(store, person))
    facts[namespace] = [...new Set([...(facts[namespace] ?? []), ...texts])];
  const notes = { names: [...names], facts };
  if (!dryRun) await store.set(notesKey(person), notes);
  return notes;
}

/** Names of the person on documents they added. */
async function documentNames({ knowledge }: ForgetPersonDeps, person: Person): Promise<string[]> {
  const namespaces = (await knowledge?.namespaces()) ?? [];
  const lists = namespaces.filter((each) => isAt(person, each)).map((each) => knowledge?.list(each));
  const documents = (await Promise.all(lists)).flatMap((list) => list ?? []);
  return documents.flatMap(({ author, by }) => (author === person.id && by !== "" ? [by] : []));
}

function withPseudonym(line: AuditLine, person: Person, pseudonym: string): AuditLine {
  if (!isAt(person, line.namespace)) return line;
  const { id } = person;
  const isBy = line.by === id;
  const isAbout = line.about === id;
  const isThere = isOwnDirectMessage(person, line.namespace);
  if (!isBy && !isAbout && !isThere && line.subject !== id) return line;
  const known = [isBy ? line.by_name : "", isAbout ? (line.about_name ?? "") : ""];
  const hidden = (text: string) =>
    known.filter((name) => name !== "").reduce((all, name) => all.replaceAll(name, pseudonym), text);
  return {
    ...line,
    ...(isBy ? { by: pseudonym, by_name: pseudonym } : {}),
    ...(isAbout ? { about: pseudonym, about_name: pseudonym } : {}),
    ...(isThere ? { namespace: line.namespace.replace(id, pseudonym) } : {}),
    subject:
      line.subject === id || line.subject === line.namespace
        ? line.subject.replace(id, pseudonym)
        : line.subject,
    detail: hidden(line.detail),
  };
}

interface Finishing {
  pseudonym: string;
  asker: Asker;
  isDone: boolean;
  /** Turns of other people that the person deleted. */
  deleted: readonly string[];
}

/** Removes the person's name from their turns, and the deleted bytes from the files. Returns what is left to do. */
async function finish(
  deps: ForgetPersonDeps,
  person: Person,
  { pseudonym, asker, isDone, deleted }: Finishing,
): Promise<string[]> {
  const { log, store, audit, stored } = deps;
  if (isDone) {
    const turns = [...(await forgottenTurns(deps, person)), ...deleted];
    await log.disown(turns, person.id, { id: pseudonym, name: pseudonym });
  }
  const detail = isDone
    ? `deleted everything of **${pseudonym}**`
    : `deleted a part of what is stored of **${pseudonym}**`;
  audit.record({ action: "person_forgotten", ...asker, subject: pseudonym, detail });
  await stored.settled();
  if (isDone) await store.delete(notesKey(person));
  return emptyFreeSpace(deps);
}

/** Set while deleted bytes may still be in the files. The next run removes them, even if the person is no longer found. */
const unscrubbedKey = "forgetting-files";

/** Removes deleted bytes from the files. Returns what is left to do. */
async function emptyFreeSpace(deps: ForgetPersonDeps): Promise<string[]> {
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

/** Turns of the person that were deleted; turns accepted since the deletion began are not among them. */
async function forgottenTurns({ log }: ForgetPersonDeps, person: Person): Promise<string[]> {
  const ids: string[] = [];
  for await (const { turn_id, namespace } of turnsOf(log, person.id)) {
    if (!isAt(person, namespace)) continue;
    if (wasForgotten(await log.read(turn_id))) ids.push(turn_id);
  }
  return ids;
}

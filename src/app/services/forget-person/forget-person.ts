import { errorText } from "../../../base/error-text.ts";
import type { Knowledge } from "../../../core/knowledge.ts";
import type { MessageIndex } from "../../../core/message-index.ts";
import type { Asker } from "../../../core/outcome.ts";
import type { UpgradeCopies } from "../../../core/upgrade-copies.ts";
import type { StoredOpenings } from "../../turns/openings.ts";
import type { Audit } from "../audit.ts";
import type { AuditLine, StoredAudit } from "../stored-audit.ts";
import type { ForgetPerson, ForgetPersonOptions, ForgottenPerson } from "./forgotten-person.ts";
import {
  findPerson,
  isAt,
  isOwnDirectMessage,
  type Person,
  pseudonymOf,
  turnsOf,
  writtenAs,
} from "./person.ts";
import { factsOf, removeFacts } from "./person-facts.ts";
import { type PersonPlansDeps, removePlans } from "./person-plans.ts";
import { forgetOwnTurns, namesOf, type PersonTurnsDeps, stripOtherTurns } from "./person-turns.ts";
import { type SweepDeps, sweepValues } from "./person-values.ts";

export interface ForgetPersonDeps extends PersonTurnsDeps, SweepDeps, Pick<PersonPlansDeps, "due"> {
  stored: StoredAudit;
  audit: Audit;
  openings: StoredOpenings;
  /** What was said in channels that are searched by an index. */
  index: Pick<MessageIndex, "clearAuthor">;
  /** What channels learned from documents. */
  knowledge: Pick<Knowledge, "clearAuthor"> | undefined;
  copies: UpgradeCopies | undefined;
}

export function createForgetPerson(deps: ForgetPersonDeps): ForgetPerson {
  let busy = false;
  return async (user, asker, { dryRun = false, leavePosts = false } = {}) => {
    const found = await findPerson(deps.log, deps.stored, user);
    const isUnscrubbed = !dryRun && (await deps.store.get(unscrubbedKey)) !== undefined;
    if (!found.ok && !isUnscrubbed) return found;
    if (busy) {
      const message = "The bot is forgetting somebody already. Try again when that has ended.";
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
  options: Required<ForgetPersonOptions>,
): Promise<ForgottenPerson> {
  const { dryRun } = options;
  const { store, stored } = deps;
  const pseudonym = await pseudonymOf(store, person);
  const notes = await takeNotes(deps, person, dryRun);
  const names = new Set(notes.names);
  const own = await forgetOwnTurns(deps, person, asker.by, options);
  const plans = await removePlans(deps, person, dryRun);
  let facts = 0;
  for await (const told of factsOf(store, person, names)) {
    facts += told.texts.length;
    if (!dryRun) await removeFacts(store, told, person, names);
  }
  const openings = new Set(await deps.openings.removeSaying(Object.values(notes.facts).flat(), { dryRun }));
  const traces = { person, names, facts: new Map(Object.entries(notes.facts)), openings };
  const others = await stripOtherTurns(deps, traces, dryRun);
  const values = await sweepValues(deps, person, pseudonym, dryRun);
  const { platform, workspace, id } = person;
  const prefix = workspace === "*" ? `${platform}:` : `${platform}:${workspace}:`;
  if (!dryRun) await deps.index.clearAuthor(id, prefix);
  const documents = (await deps.knowledge?.clearAuthor(id, prefix, { dryRun })) ?? 0;
  const copies = (await deps.copies?.remove({ dryRun })) ?? [];
  const audit_lines = await stored.rewrite((line) => withPseudonym(line, person, pseudonym), { dryRun });
  const left = [...own.left, ...others.left];
  if (!dryRun) left.push(...(await finish(deps, person, { pseudonym, asker, isDone: left.length === 0 })));
  return {
    ...{ user: writtenAs(person), pseudonym, dry_run: dryRun, complete: left.length === 0 },
    ...{ turns: own.count, other_turns: others.count, facts, documents, plans, ...values, audit_lines, left },
    ...(copies.length === 0 ? {} : { copies }),
  };
}

/** What is needed to find the rest after a crash: it goes last. */
type Notes = { names: string[]; facts: { [namespace: string]: string[] } };

const notesKey = (person: Person) => `forgetting:${writtenAs(person)}`;

async function takeNotes(deps: ForgetPersonDeps, person: Person, dryRun: boolean): Promise<Notes> {
  const { store } = deps;
  const before = ((await store.get(notesKey(person))) ?? { names: [], facts: {} }) as Notes;
  const names = new Set([...before.names, ...(await namesOf(deps, person))]);
  const facts = { ...before.facts };
  for await (const { namespace, texts } of factsOf(store, person, names))
    facts[namespace] = [...new Set([...(facts[namespace] ?? []), ...texts])];
  const notes = { names: [...names], facts };
  if (!dryRun) await store.set(notesKey(person), notes);
  return notes;
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

/** Takes the person's name off their turns, and every byte out of the files. Answers what is left to do. */
async function finish(
  deps: ForgetPersonDeps,
  person: Person,
  { pseudonym, asker, isDone }: { pseudonym: string; asker: Asker; isDone: boolean },
): Promise<string[]> {
  const { log, store, audit, stored } = deps;
  if (isDone) {
    await log.disown(await forgottenTurns(deps, person), { id: pseudonym, name: pseudonym });
    await store.delete(notesKey(person));
  }
  const detail = isDone
    ? `deleted everything of **${pseudonym}**`
    : `deleted a part of what is stored of **${pseudonym}**`;
  audit.record({ action: "person_forgotten", ...asker, subject: pseudonym, detail });
  await stored.settled();
  return emptyFreeSpace(deps);
}

/** Set while deleted bytes may lie in the files: whoever forgets next takes them out, also when nobody is found any more. */
const unscrubbedKey = "forgetting-files";

/** Takes what was deleted out of the files. Answers what is left to do. */
async function emptyFreeSpace({ log, store, logger }: ForgetPersonDeps): Promise<string[]> {
  await store.set(unscrubbedKey, true);
  try {
    await log.scrub({ rebuild: true });
    await store.scrub();
  } catch (error) {
    logger.warn({ err: error }, "What was deleted may still lie in the free space of the files");
    const reason = errorText(error);
    return [
      `It is deleted, but may still lie in the free space of the database files: ${reason}. Writing a file again takes as much room on the disk as it has. Then run this again.`,
    ];
  }
  await store.delete(unscrubbedKey);
  return [];
}

/** What was said since the forgetting began is not among them. */
async function forgottenTurns({ log }: ForgetPersonDeps, person: Person): Promise<string[]> {
  const ids: string[] = [];
  for await (const { turn_id, namespace } of turnsOf(log, person.id)) {
    if (!isAt(person, namespace)) continue;
    const events = await log.read(turn_id);
    if (events.some((event) => event.type === "turn_finished" && event.forgotten_by !== undefined))
      ids.push(turn_id);
  }
  return ids;
}

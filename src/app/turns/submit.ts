import { formatBytes } from "../../base/amounts.ts";
import { errorText } from "../../base/error-text.ts";
import type { NewFile } from "../../core/ports/storage.ts";
import { modelFor } from "../../core/scope/chosen-model.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { settingsOf } from "../../core/skill/namespace-state.ts";
import type { Outcome } from "../../core/values/failure.ts";
import {
  type Author,
  type Cause,
  type FileReference,
  type GivenCommand,
  type Inbound,
  inboundSchema,
  maxMessageLength,
  type Origin,
} from "../../core/values/inbound.ts";
import { profileNamed } from "../../core/values/profile.ts";
import type { AppDeps } from "../app-deps.ts";
import { askedGuide } from "./asked-skills.ts";
import type { CommandReader, Said, SaidTo } from "./command-reader.ts";
import type { Feed } from "./feed.ts";

/** A message or command to be accepted. */
export interface Submission {
  namespace: string;
  thread: string;
  /** The message; with `command`, the readable form of the command. */
  text: string;
  /** For a chat message: whom it addresses. */
  to?: SaidTo | undefined;
  /** A command that is known already, from a form or a program. */
  command?: GivenCommand | undefined;
  author: Author;
  /** The platform's message id; a second submission with the same key answers the same turn. */
  key?: string | undefined;
  /** Given by chat platforms: the turn is shown and answered there. */
  origin?: Origin | undefined;
  /** Of a turn that a schedule or a trigger begins. */
  cause?: Cause | undefined;
  /** Files of the message, where no platform keeps them. */
  files?: readonly NewFile[] | undefined;
}

/** Accepts a message or command. `accepted` is false when the key was seen before. */
export type Submit = (submission: Submission) => Promise<Outcome<{ turn_id: string; accepted: boolean }>>;

type SubmitDeps = Pick<AppDeps, "log" | "clock" | "newId" | "store" | "profiles" | "catalogue"> &
  Pick<TurnPorts, "files" | "models" | "offers"> & {
    feed: Pick<Feed, "publish">;
    reader: CommandReader;
    /** There is work. */
    wake(): void;
  };

/** Stores a message under its key and queues it, in one write, then shows it to watchers. */
export function createSubmit(deps: SubmitDeps): Submit {
  const { files, newId, log, clock } = deps;
  return async function submit(submission) {
    const parsed = inboundOf(submission, deps, newId());
    if (!parsed.ok) return parsed;
    const turnId = newId();
    const kept = await keepFiles(submission.files, turnId, deps);
    if (!kept.ok) return kept;
    const inbound = { ...(await forAgent(parsed.value, deps)), files: kept.value };
    const accepted = await log
      .accept(inbound, turnId, clock.now())
      .then((value) => ({ ok: true, value }) as const, notStored);
    const isNew = accepted.ok && accepted.value.accepted;
    // The files of a message that was rejected or accepted before.
    if (kept.value !== undefined && !isNew) await files.forget(turnId);
    if (!accepted.ok) return accepted;
    // A chat platform may deliver a message again after an edit: the first text stays.
    if (accepted.value.differs && submission.origin === undefined) return keyTaken(inbound.key);
    if (isNew) await show(deps, turnId, inbound);
    deps.wake();
    return accepted;
  };
}

async function show({ log, feed }: SubmitDeps, turnId: string, { namespace, thread }: Inbound) {
  const [entry] = await log.read(turnId);
  if (entry !== undefined) feed.publish(namespace, thread, entry);
}

/** Limits for the files of a message, in bytes per file and in total; a turn reads the same number of files. */
export const submittedFiles = { maxFiles: 20, bytes: 50_000_000, together: 100_000_000 };

/** Stores the files of a message before it is accepted, so that acknowledged files are on disk. The files of a rejected message are removed. */
async function keepFiles(
  given: Submission["files"],
  turnId: string,
  { files }: SubmitDeps,
): Promise<Outcome<FileReference[] | undefined>> {
  if (given === undefined || given.length === 0) return { ok: true, value: undefined };
  const problem = exceededLimit(given);
  if (problem !== undefined) return { ok: false, status: 413, message: problem };
  try {
    const kept: FileReference[] = [];
    for (const file of given) {
      const { name, media_type, bytes } = await files.put(turnId, file);
      kept.push({ id: name, name: file.name.slice(0, 300), media_type, bytes });
    }
    return { ok: true, value: kept };
  } catch (error) {
    await files.forget(turnId).catch(() => undefined);
    const message = `Your files could not be stored, so nothing was done. ${errorText(error)}`;
    return { ok: false, status: 503, message };
  }
}

function exceededLimit(given: readonly NewFile[]): string | undefined {
  const { maxFiles, bytes, together } = submittedFiles;
  if (given.length > maxFiles)
    return `The message has ${given.length} files; at most ${maxFiles} are accepted at once. Nothing was done.`;
  const large = given.find(({ data }) => data.byteLength > bytes);
  if (large !== undefined)
    return `${large.name.slice(0, 100)} has ${formatBytes(large.data.byteLength)}; the limit for a file is ${formatBytes(bytes)}. Nothing was done.`;
  const total = given.reduce((sum, { data }) => sum + data.byteLength, 0);
  if (total > together)
    return `The files have ${formatBytes(total)} together; at most ${formatBytes(together)} are accepted at once. Nothing was done.`;
  return undefined;
}

/**
 * `/skill run` of a guide becomes a message, and so does a command with words that only a model understands: the agent does the work, in the
 * queue of its thread.
 */
async function forAgent(inbound: Inbound, deps: SubmitDeps): Promise<Inbound> {
  const { command, ...message } = inbound;
  const { reader } = deps;
  if (command === undefined) return inbound;
  if (reader.isForAgent(inbound))
    return (await hasModel(inbound.namespace, deps)) ? { ...message, kind: "message" } : inbound;
  const wanted = reader.guideOf(command);
  const guide = wanted === undefined ? undefined : await askedGuide(deps, wanted, inbound.namespace);
  return guide === undefined ? inbound : { ...message, kind: "message", guide };
}

/** Whether a language model answers in a channel. */
async function hasModel(namespace: string, { models, store, profiles }: SubmitDeps): Promise<boolean> {
  const settings = await settingsOf(store, namespace);
  return modelFor(models, settings, profileNamed(profiles, settings.profile)).generative;
}

/** Tells the person that the message was not accepted, because the log cannot be written. */
function notStored(error: unknown) {
  const message = `Your message could not be stored, so nothing was done. ${errorText(error)}`;
  return { ok: false, status: 503, message } as const;
}

/** Rejects a second, different message under the same key, which would otherwise be lost silently. */
function keyTaken(key: string): Outcome<never> {
  const message = `The key ${key} was used before for another message: its text, user, channel or thread differ. Nothing was done. Send a retry exactly as before, and a new message with a new key.`;
  return { ok: false, status: 409, message, code: "key_taken" };
}

/** The work of a schedule or trigger is never read as a command. A plain announcement counts as one: it need not wait for its thread. */
function saidBy({ text, to, namespace, thread, command, cause }: Submission, reader: CommandReader): Said {
  if (cause !== undefined) return { kind: cause.says === undefined ? "message" : "command", text, words: "" };
  if (command !== undefined) return { kind: "command", text, words: "", command };
  return reader.read(text, { namespace, thread }, to);
}

function inboundOf(submission: Submission, deps: SubmitDeps, id: string): Outcome<Inbound> {
  const { namespace, thread, text, author, key = `${namespace}:${id}`, origin } = submission;
  if (text.length > maxMessageLength) {
    const message = `The message has ${text.length} characters; at most ${maxMessageLength} are accepted. Send it as a file or in parts.`;
    return { ok: false, status: 413, message };
  }
  const said = saidBy(submission, deps.reader);
  const command = said.kind === "command" ? said.command : undefined;
  const parsed = inboundSchema.safeParse({
    key,
    namespace,
    thread,
    author,
    origin,
    cause: submission.cause,
    kind: said.kind,
    text: said.text,
    command,
    urgent: command !== undefined && deps.reader.isUrgent(command) ? true : undefined,
  });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return { ok: false, status: 400, message: problems.join("; ") };
  }
  const files = [...(origin?.files ?? []), ...(submission.files ?? [])];
  const isEmpty = parsed.data.text.trim() === "" && files.length === 0;
  if (isEmpty) return { ok: false, status: 400, message: "The message is empty." };
  return { ok: true, value: parsed.data };
}

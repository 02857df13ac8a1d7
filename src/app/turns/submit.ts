import type { Clock } from "../../core/clock.ts";
import type { Author, Origin } from "../../core/inbound.ts";
import { type Inbound, inboundSchema, longestMessage } from "../../core/inbound.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { TurnLog } from "../../core/turn-log.ts";
import type { Feed } from "./feed.ts";
import { parseCommand, withoutMention } from "./parse-command.ts";

/** A message or command to be accepted. */
export interface Submission {
  namespace: string;
  thread: string;
  text: string;
  author: Author;
  /** The platform's message id; a second submission with the same key answers the same turn. */
  key?: string;
  /** Given by chat platforms: the turn is shown and answered there. */
  origin?: Origin;
}

/** Takes a message or command in. `accepted` is false when the key was seen before. */
export type Submit = (submission: Submission) => Promise<Outcome<{ turn_id: string; accepted: boolean }>>;

export interface SubmitDeps {
  log: TurnLog;
  feed: Feed;
  clock: Clock;
  newId(): string;
  /** The name people call the bot by. */
  name: string;
  /** Whether a command is work for the agent, in its thread's line: `/skill run` of a guide. */
  isForAgent(command: string, namespace: string): Promise<boolean>;
  /** There is work. */
  wake(): void;
}

/** The way in: a message is stored under its key and queued, in one write, and shown to those who watch. */
export function createSubmit(deps: SubmitDeps): Submit {
  const { log, feed, clock, newId, name, wake } = deps;
  return async (submission) => {
    const parsed = inboundOf(submission, name, newId());
    if (!parsed.ok) return parsed;
    const inbound = await withKind(parsed.value, deps);
    const accepted = await acceptSafely(log, inbound, newId(), clock.now());
    if (!accepted.ok) return accepted;
    // A chat platform delivers a message again that was edited meanwhile: it was taken as it was.
    if (accepted.value.differs && submission.origin === undefined) return keyTaken(inbound.key);
    if (accepted.value.accepted) {
      const [entry] = await log.read(accepted.value.turn_id);
      if (entry !== undefined) feed.publish(inbound.namespace, inbound.thread, entry);
    }
    wake();
    return accepted;
  };
}

async function withKind(inbound: Inbound, { isForAgent }: SubmitDeps): Promise<Inbound> {
  if (inbound.kind === "message") return inbound;
  return (await isForAgent(inbound.text, inbound.namespace)) ? { ...inbound, kind: "message" } : inbound;
}

/** A log that cannot be written is told to the person: their message was not taken. */
async function acceptSafely(log: TurnLog, inbound: Inbound, turnId: string, at: number) {
  try {
    return { ok: true as const, value: await log.accept(inbound, turnId, at) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: false as const,
      status: 503 as const,
      message: `Your message could not be stored, so nothing was done. ${reason}`,
    };
  }
}

/** Two messages under one key: the second would be lost without a word. */
function keyTaken(key: string): Outcome<never> {
  const message = `The key ${key} was used before for another message: its text, user, channel or thread differ. Nothing was done. Send a retry exactly as before, and a new message with a new key.`;
  return { ok: false, status: 409, message, code: "key_taken" };
}

function inboundOf(submission: Submission, botName: string, id: string): Outcome<Inbound> {
  const { namespace, thread, text, author, key = `${namespace}:${id}`, origin } = submission;
  if (text.length > longestMessage) {
    const message = `The message has ${text.length} characters; at most ${longestMessage} are taken. Send the rest as a file or in parts.`;
    return { ok: false, status: 413, message };
  }
  // Where there is nobody else to talk to, `stop` needs no mention; platforms have said whom it was meant for.
  const isStop = origin === undefined && /^\s*stop[.!]?\s*$/i.test(text);
  const command = isStop ? "agent stop here" : parseCommand(text, botName);
  const kind = command === undefined ? "message" : "command";
  const parsed = inboundSchema.safeParse({
    key,
    namespace,
    thread,
    author,
    kind,
    text: isStop ? "/agent stop here" : command === undefined ? withoutMention(text, botName) : text,
    ...(command !== undefined && /^agent\s+stop\b/i.test(command) ? { urgent: true } : {}),
    origin,
  });
  if (!parsed.success)
    return {
      ok: false,
      status: 400,
      message: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "),
    };
  const isEmpty = parsed.data.text.trim() === "" && (origin?.files ?? []).length === 0;
  if (isEmpty) return { ok: false, status: 400, message: "The message is empty." };
  return { ok: true, value: parsed.data };
}

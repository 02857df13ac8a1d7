import type { ChatCommand } from "../chat-intake.ts";
import { authorOf, type IntakeContext, NotStoredError } from "./intake-context.ts";
import { refusalOf } from "./refusal-of.ts";
import { lateCommand } from "./take-message.ts";

/**
 * Stores a slash command as a turn, even in a paused channel, since a manager resumes it by command. A person without access is told
 * at each attempt, since a command without any answer looks broken. @throws NotStoredError
 */
export async function takeCommand(context: IntakeContext, given: ChatCommand): Promise<void> {
  const { app, log, platform, whisperer, clock, policy } = context;
  const { key, place, id, author, text, said_at, command } = given;
  if ((await log.find(key)) !== undefined) return;
  const person = await platform.person(place, author);
  const tell = (text: string) => whisperer.sayOnce({ place, person: person.id, about: id }, key, text);
  const refusal = refusalOf(policy.access, person, place);
  if (refusal !== undefined) return tell(refusal);
  if (clock.now() - said_at > policy.stale_ms) return tell(lateCommand);
  const origin = { message: id, said_at, files: [], in_thread: false };
  const outcome = await app.submit({ ...place, text, command, author: authorOf(person), key, origin });
  if (!outcome.ok && outcome.status === 503) throw new NotStoredError(outcome.message);
  if (!outcome.ok) await tell(outcome.message);
}

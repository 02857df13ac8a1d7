import type { TurnRecord } from "../../../core/log/turn-log.ts";
import {
  type ButtonAction,
  PlatformError,
  readButtonId,
  turnOfButton,
} from "../../../core/ports/chat-platform.ts";
import { settingsOf } from "../../../core/skill/namespace-state.ts";
import { isDirectMessage, isWithin, type Place } from "../../../core/values/place.ts";
import { othersWork } from "../../operations/turns/turns.ts";
import type { ButtonPress, TextForm } from "../chat-intake.ts";
import { authorOf, type IntakeContext, NotStoredError } from "./intake-context.ts";
import type { LateMessages } from "./late-messages.ts";
import { refusalOf } from "./refusal-of.ts";
import { actOnTurn } from "./turn-buttons.ts";
import type { Closing, UnaskedOffers } from "./unasked-offers.ts";

const unknownButton = "This button no longer works. Write what you want instead.";

/**
 * Stops the turns of a thread that the person may stop. Where nothing runs, the platform's control is outdated, as after a second press,
 * and its state is corrected. Rejects only when the store cannot be read.
 */
export async function stopThread(
  { app, platform, policy, whisperer, logger }: IntakeContext,
  { place, person: id, id: about }: { place: Place; person: string; id: string },
): Promise<void> {
  const tell = (text: string) => whisperer.say({ place, person: id, about }, text);
  try {
    const person = await platform.person(place, id);
    const refusal = refusalOf(policy.access, person, place);
    if (refusal !== undefined) return await tell(refusal);
    const asker = { by: authorOf(person), namespace: place.namespace };
    const stopped = await app.run("turn.stop_all", { input: place, asker });
    if (!stopped.ok) return await tell(stopped.message);
    if (stopped.value.stopped > 0) return;
    if (stopped.value.others > 0) return await tell(othersWork);
    await platform.showState?.(place, "idle", "");
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    logger.warn({ err: error, person: id }, "A stop could not be followed");
  }
}

/** The questions of the bot about messages that have no turn yet. */
interface Questions {
  late: LateMessages;
  offers: UnaskedOffers;
}

/** Whether a button starts a turn, which a paused channel does not allow. */
function asksForWork(action: ButtonAction): boolean {
  if (action.role === "late") return action.wanted;
  return action.role === "again" || action.role === "continue" || action.role === "offer";
}

/**
 * Carries out the action of a button. Rights are checked now, not when the button was shown. The person who pressed it is told of a
 * failure; rejects only when the store cannot be read.
 */
export async function pressButton(
  context: IntakeContext,
  questions: Questions,
  press: ButtonPress,
): Promise<void> {
  const answer = await answerPress(context, questions, press).catch((error: unknown) => {
    if (error instanceof NotStoredError) return error.message;
    if (!(error instanceof PlatformError)) throw error;
    context.logger.warn({ err: error, person: press.person }, "A press of a button could not be followed");
    return `That did not work: ${error.message} Press again in a moment.`;
  });
  if (answer === undefined) return;
  const to = { place: press.place, person: press.person, about: press.id };
  if (typeof answer === "string") await context.whisperer.say(to, answer);
  else await context.whisperer.say(to, answer.closing, { closes: true });
}

async function answerPress(
  context: IntakeContext,
  { late, offers }: Questions,
  press: ButtonPress,
): Promise<string | Closing | undefined> {
  const action = readButtonId(press.button);
  if (action === undefined) return unknownButton;
  if (action.role === "offer" && action.reply !== "yes")
    return offers.decline(action.token, action.reply, press);
  const turn = await turnOf(context, action);
  const offered = action.role === "offer" ? await offers.placeOf(action.token, press.person) : undefined;
  const place = offered ?? placeOf(context, action, press, turn);
  const person = await context.platform.person(place, press.person);
  const refusal = refusalOf(context.policy.access, person, place);
  if (refusal !== undefined) return refusal;
  const { paused } = await settingsOf(context.store, place.namespace);
  if (paused !== undefined && asksForWork(action))
    return "I am paused here. A manager of the channel can resume me with `/agent resume`; then press again.";
  const by = authorOf(person);
  if (action.role === "offer") return offers.accept(action.token, by);
  if (action.role === "late") return late.decide(action.token, action.wanted, press, by);
  // A turn can be reached only from its own channel; its approvals also from direct messages.
  if (turn?.namespace !== place.namespace) return unknownButton;
  return actOnTurn(context, action, { press, turn, by });
}

/** The turn of a button; undefined for a question about a message that has none yet, and for a turn that was deleted. */
async function turnOf({ log }: IntakeContext, action: ButtonAction): Promise<TurnRecord | undefined> {
  const id = turnOfButton(action);
  return id === undefined ? undefined : log.get(id);
}

/** The place whose members may press. Cards of approvals can also be in direct messages, but the place where the turn runs counts. */
function placeOf(
  { platform }: IntakeContext,
  action: ButtonAction,
  { place }: ButtonPress,
  turn: TurnRecord | undefined,
): Place {
  const isElsewhere = "approval_id" in action && isDirectMessage(place.namespace);
  if (!isElsewhere || turn === undefined || !isWithin(turn.namespace, platform.id)) return place;
  return { namespace: turn.namespace, thread: turn.thread };
}

/** The form that a button opens (`ChatIntake.formOfPress`). */
export async function formOfPress(context: IntakeContext, press: ButtonPress): Promise<TextForm | undefined> {
  const action = readButtonId(press.button);
  if (action?.role !== "edit") return undefined;
  const turn = await turnOf(context, action);
  const place = placeOf(context, action, press, turn);
  const person = await context.platform.person(place, press.person);
  if (refusalOf(context.policy.access, person, place) !== undefined) return undefined;
  if (turn?.namespace !== place.namespace) return undefined;
  const asker = { by: authorOf(person), namespace: place.namespace };
  const found = await context.app.run("approval.show", { input: { id: action.approval_id }, asker });
  if (!found.ok || found.value.text === undefined) return undefined;
  return { title: "Edit, then approve", label: "Text", text: found.value.text, submit: "Approve" };
}

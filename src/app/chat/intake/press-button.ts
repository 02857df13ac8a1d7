import { PlatformError } from "../../../core/chat-platform.ts";
import type { Author } from "../../../core/inbound.ts";
import type { ButtonPress } from "../chat-intake.ts";
import { type ButtonAction, parseButton } from "./button-action.ts";
import { authorOf, type IntakeContext, NotStoredError } from "./intake-context.ts";
import type { LateMessages } from "./late-messages.ts";
import { refusalOf } from "./refusal-of.ts";
import { actOnTurn } from "./turn-buttons.ts";

const unknownButton = "This button does not work any more. Write what you want instead.";

/** Buttons that begin a turn: not in a paused channel. */
const asksForWork: ReadonlySet<string> = new Set<ButtonAction["action"]>(["again", "continue", "wanted"]);

/**
 * Does what a button is for. Who may is checked now, not when the button was shown. Whoever pressed is told what did not
 * work; it rejects only when the store cannot be read.
 */
export async function pressButton(
  context: IntakeContext,
  late: LateMessages,
  press: ButtonPress,
): Promise<void> {
  const answer = await tryPress(context, late, press);
  if (answer === undefined) return;
  await context.whisperer.say({ place: press.place, person: press.person, about: press.id }, answer);
}

async function tryPress(
  context: IntakeContext,
  late: LateMessages,
  press: ButtonPress,
): Promise<string | undefined> {
  try {
    return await answerPress(context, late, press);
  } catch (error) {
    if (error instanceof NotStoredError) return error.message;
    if (!(error instanceof PlatformError)) throw error;
    context.logger.warn({ err: error, person: press.person }, "A press of a button could not be followed");
    return "Who you are could not be looked up, so nothing was done. Press again in a moment.";
  }
}

async function answerPress(
  context: IntakeContext,
  late: LateMessages,
  press: ButtonPress,
): Promise<string | undefined> {
  const button = parseButton(press.button);
  if (button === undefined) return unknownButton;
  const person = await context.platform.person(press.place, press.person);
  const refusal = refusalOf(context.policy.access, person, press.place);
  if (refusal !== undefined) return refusal;
  const { paused } = await context.settings.of(press.place.namespace);
  if (paused !== undefined && asksForWork.has(button.action))
    return "I am paused here. A manager of the channel can wake me with `/agent resume`; then press again.";
  const by = authorOf(person);
  if ("token" in button) return late.decide(button.token, button.action === "wanted", press, by);
  return onTurn(context, button, press, by);
}

/** A turn is reached only from the channel it belongs to. */
async function onTurn(
  context: IntakeContext,
  button: Exclude<ButtonAction, { token: string }>,
  press: ButtonPress,
  by: Author,
): Promise<string | undefined> {
  const turn = await context.log.get(button.turn_id);
  if (turn === undefined || turn.namespace !== press.place.namespace) return unknownButton;
  return actOnTurn(context, button, { press, turn, by });
}

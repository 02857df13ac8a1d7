import { few } from "../../../base/markdown-text.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { emptyTurnView, foldTurn } from "../../../core/log/turn-view.ts";
import { type ButtonAction, repeatedTurn, repeatKey } from "../../../core/ports/chat-platform.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { teachThis } from "../../../core/ports/teaching.ts";
import { type Author, mayStop, type Origin, onBehalfOf } from "../../../core/values/inbound.ts";
import { verdictInput } from "../../../core/values/verdict.ts";
import type { InputOf } from "../../operations/table.ts";
import { feedbackKey } from "../../services/shapes.ts";
import type { Submission } from "../../turns/submit.ts";
import type { ButtonPress } from "../chat-intake.ts";
import type { IntakeContext, TurnPress } from "./intake-context.ts";
import { showArguments, showDetails } from "./turn-details.ts";

/** The action of a turn's button. */
export type TurnAction = Exclude<ButtonAction, { role: "late" | "offer" }>;

type Feedback = "good" | "bad";

/** Said for the person who disliked an answer that a skill of the channel made. */
const improve = (skill: string) =>
  `The last answer by the skill ${skill} was not good. Ask me in one line what was wrong, and then propose a change of the skill. $skill-maker`;

/** Returns a text for the person who pressed; undefined when they see the effect anyway. */
type Act<Rest extends unknown[] = []> = (
  context: IntakeContext,
  pressed: TurnPress,
  ...rest: Rest
) => Promise<string | undefined>;

const acts: { readonly [Role in TurnAction["role"]]: Act<[Extract<TurnAction, { role: Role }>]> } = {
  decide: (context, pressed, { approval_id, verdict }) =>
    decide(context, pressed, { id: approval_id, ...verdictInput(verdict) }),
  edit,
  arguments: showArguments,
  answer,
  feedback: rate,
  details: showDetails,
  teach: (context, pressed) =>
    submit(
      context,
      pressed,
      { text: teachThis, key: `teach:${pressed.turn.turn_id}`, to: "room" },
      pressed.by,
    ),
  stop: forAsker(stop),
  again: forAsker(repeat),
  continue: forAsker((context, pressed) =>
    submit(context, pressed, { text: "continue", key: `continue:${pressed.turn.turn_id}`, to: "room" }),
  ),
  forget: forAsker(forget),
};

/** Carries out the action. Returns a text for the person who pressed; undefined when they see the effect anyway. */
export function actOnTurn(
  context: IntakeContext,
  action: TurnAction,
  pressed: TurnPress,
): Promise<string | undefined> {
  return acts[action.role](context, pressed, action as never);
}

function forAsker(act: Act): Act {
  return async (context, pressed) => {
    const { turn, by } = pressed;
    if (mayStop(by, turn)) return act(context, pressed);
    return `Only ${turn.author.name}, who asked, or a manager of the channel may do this.`;
  };
}

async function rate(
  context: IntakeContext,
  pressed: TurnPress,
  { good }: { good: boolean },
): Promise<string | undefined> {
  const { store, logger } = context;
  const { turn, by } = pressed;
  const feedback = good ? "good" : "bad";
  if (!(await storeFeedback(store, turn.turn_id, by.id, feedback)))
    return "You have already given this feedback; it is noted.";
  const { turn_id, namespace } = turn;
  logger.info({ feedback, turn_id, namespace, person: by.id }, "Somebody rated an answer");
  if (good) return "Thanks, noted.";
  const skill = by.trust === "guest" ? undefined : await taughtIn(context, turn);
  if (skill !== undefined)
    return submit(context, pressed, { text: improve(skill), key: `improve:${turn.turn_id}`, to: "room" }, by);
  return "Thanks, noted. Tell me in the thread what was wrong, and I will try to do better.";
}

/** The skill made in this channel that a turn used, by its id. */
async function taughtIn({ app, log }: IntakeContext, { turn_id, namespace }: TurnRecord) {
  const used = (await log.read(turn_id)).flatMap((event) =>
    event.type === "skill_activated" || event.type === "tool_started" ? event.skill_id : [],
  );
  for (const id of new Set(used)) {
    const skill = id === "" ? undefined : await app.skills.detail(id, namespace);
    if (skill?.taught?.home === namespace) return skill.id;
  }
  return undefined;
}

/** Stores a person's opinion of an answer, one per person. Returns whether it changed. */
async function storeFeedback(
  store: KeyValue,
  turnId: string,
  person: string,
  feedback: Feedback,
): Promise<boolean> {
  let before: Feedback | undefined;
  await store.update<Record<string, Feedback>>(feedbackKey(turnId), (given = {}) => {
    before = Object.hasOwn(given, person) ? given[person] : undefined;
    return { ...given, [person]: feedback };
  });
  return before !== feedback;
}

async function decide(
  { app }: IntakeContext,
  { turn, by }: TurnPress,
  input: InputOf<"approval.decide">,
): Promise<string | undefined> {
  const decided = await app.run("approval.decide", { input, asker: { by, namespace: turn.namespace } });
  if (!decided.ok) return decided.message;
  return decided.value.decided ? undefined : "This has already been decided, or it has expired.";
}

/** Approves with the changed text of the form. Without one, the platform did not show the form. */
async function edit(
  context: IntakeContext,
  pressed: TurnPress,
  { approval_id: id }: { approval_id: string },
): Promise<string | undefined> {
  const { text } = pressed.press;
  if (text === undefined) return "The form could not be opened. Press **Edit** again.";
  return decide(context, pressed, { id, approve: true, text });
}

/** Steering a turn is for its asker alone. */
async function answer(
  { app, log, clock }: IntakeContext,
  { turn, by }: TurnPress,
  { choice }: { choice: number },
): Promise<string | undefined> {
  if (turn.author.id !== by.id) return `This question is for ${turn.author.name}.`;
  const { question } = (await log.read(turn.turn_id)).reduce(foldTurn, emptyTurnView(turn.turn_id));
  const text = question?.choices[choice];
  if (question === undefined || text === undefined || question.expires_at <= clock.now())
    return "This question is closed. Write your answer in the thread.";
  const input = { id: turn.turn_id, question_id: question.question_id, text };
  const answered = await app.run("turn.answer", { input, asker: { by, namespace: turn.namespace } });
  if (!answered.ok) return answered.message;
  return answered.value.answered ? undefined : "This question is closed. Write your answer in the thread.";
}

async function stop({ app }: IntakeContext, { turn, by }: TurnPress): Promise<string | undefined> {
  const asker = { by, namespace: turn.namespace };
  const stopped = await app.run("turn.stop", { input: { id: turn.turn_id }, asker });
  if (!stopped.ok) return stopped.message;
  return stopped.value.stopped ? undefined : "This has already ended; there is nothing to stop.";
}

async function repeat(context: IntakeContext, pressed: TurnPress): Promise<string | undefined> {
  const { turn, press } = pressed;
  if (turn.text === "") return "The question was deleted. Please ask again.";
  const key = repeatKey(turn.turn_id, press.id);
  const to = turn.text.startsWith("/") ? "bot" : "room";
  const said = { text: turn.text, key, ...(turn.kind === "command" ? {} : ({ to } as const)) };
  // People press twice: the second press finds the turn of the first.
  return context.repeats.run(turn.turn_id, async () =>
    (await isBeingRepeated(context, turn)) ? alreadyInProgress : submit(context, pressed, said),
  );
}

/** Whether a turn that has not finished answers the same question again. */
async function isBeingRepeated({ log }: IntakeContext, turn: TurnRecord): Promise<boolean> {
  const { namespace, thread, turn_id } = turn;
  const latest = await log.list({ namespace, thread });
  const open = latest.filter(({ status }) => status !== "finished");
  const first = await Promise.all(open.map(async (each) => (await log.read(each.turn_id))[0]));
  return first.some((event) => event?.type === "inbound" && repeatedTurn(event.inbound.key) === turn_id);
}

const alreadyInProgress = "This is already in progress.";

/** @param author by default: the words of another person must not run with the rights of the manager who presses */
async function submit(
  context: IntakeContext,
  { turn, press, by }: TurnPress,
  said: Pick<Submission, "text" | "key" | "to">,
  author = onBehalfOf(by, turn.author),
): Promise<string | undefined> {
  const { namespace, thread } = turn;
  const origin = await originOf(context, turn, press);
  const outcome = await context.app.submit({ ...said, namespace, thread, author, origin });
  if (!outcome.ok) return outcome.message;
  return outcome.value.accepted ? undefined : alreadyInProgress;
}

/** The message of the repeated turn, to be answered again with its files. */
async function originOf(
  { log, clock }: IntakeContext,
  turn: TurnRecord,
  press: ButtonPress,
): Promise<Origin> {
  const first = (await log.read(turn.turn_id)).find((event) => event.type === "inbound");
  const origin = first?.inbound.origin ?? { message: press.reference, files: [], in_thread: true };
  return { ...origin, said_at: clock.now() };
}

async function forget(context: IntakeContext, { turn, press, by }: TurnPress): Promise<undefined> {
  const to = { place: press.place, person: by.id, about: press.id };
  await takeBack(context, turn, by, (reason) => context.whisperer.say(to, reason));
}

/**
 * Deletes a turn with its messages. Resolves once the turn is stopped, which must survive a crash; deleting takes several calls to the
 * platform and continues in the background. `tell` receives a text when that fails, and when files were made from deleted
 * attachments.
 */
export async function takeBack(
  { app, background }: IntakeContext,
  turn: TurnRecord,
  by: Author,
  tell: (text: string) => Promise<void>,
): Promise<void> {
  const call = { input: { id: turn.turn_id }, asker: { by, namespace: turn.namespace } };
  if (turn.status !== "finished") {
    const stopped = await app.run("turn.stop", call);
    if (!stopped.ok) return tell(stopped.message);
  }
  background(async () => {
    const forgotten = await app.run("turn.forget", call);
    if (!forgotten.ok) return tell(forgotten.message);
    const { attachments, made_from_them } = forgotten.value;
    if (made_from_them.length > 0) await tell(stillThere(attachments, made_from_them));
  }, "An answer could not be deleted");
}

/** Files outlive the attachments they were made from: the person who deletes those is told which files remain. */
function stillThere(attachments: readonly string[], made: readonly string[]): string {
  const names = (paths: readonly string[]) =>
    few(
      paths.map((path) => `\`${path.replaceAll("`", "'")}\``),
      10,
    );
  return `Deleted, together with ${names(attachments)}. Files made from that are still in this thread: ${names(made)}. To delete one, use \`/agent files remove PATH\`.`;
}

import { stringify } from "yaml";
import { ExactNumber } from "../../../base/exact-number.ts";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import {
  type ApprovalVerdict,
  emptyTurnView,
  foldTurn,
  formatDuration,
  verdictInput,
} from "../../../core/log/turn-view.ts";
import type { StepView } from "../../../core/log/turn-view-steps.ts";
import { type ButtonAction, repeatKey } from "../../../core/ports/chat-platform.ts";
import type { KeyValue } from "../../../core/ports/storage.ts";
import { teachThis } from "../../../core/ports/teaching.ts";
import { type Author, mayStop, type Origin, onBehalfOf } from "../../../core/values/inbound.ts";
import type { Json } from "../../../core/values/json.ts";
import { exactJson } from "../../../core/values/shown.ts";
import type { InputOf } from "../../operations/table.ts";
import { feedbackKey } from "../../services/shapes.ts";
import type { Submission } from "../../turns/submit.ts";
import type { ButtonPress } from "../chat-intake.ts";
import type { IntakeContext } from "./intake-context.ts";

/** The action of a turn's button. */
export type TurnAction = Exclude<ButtonAction, { role: "late" | "offer" }>;

/** A press on a button of a turn, by somebody who may use the bot in its channel. */
export interface TurnPress {
  press: ButtonPress;
  turn: TurnRecord;
  by: Author;
}

type Verdict = "good" | "bad";

/** Said for the person who disliked an answer that a skill of the channel made. */
const improve = (skill: string) =>
  `The last answer by the skill ${skill} was not good. Ask me in one line what was wrong, and then propose a change of the skill. $skill-maker`;

/** Maximum characters of the details of a turn. */
const maxDetails = 2_500;

/** Carries out the action. Returns a text for the person who pressed; undefined when they see the effect anyway. */
export async function actOnTurn(
  context: IntakeContext,
  action: TurnAction,
  pressed: TurnPress,
): Promise<string | undefined> {
  switch (action.role) {
    case "decide":
      return decide(context, action.approval_id, action.verdict, pressed);
    case "edit":
      return edit(context, action.approval_id, pressed);
    case "arguments":
      return showArguments(context, action.approval_id, pressed);
    case "answer":
      return answer(context, pressed, action.choice);
    case "feedback":
      return rate(context, pressed, action.good ? "good" : "bad");
    case "details":
      return details(context, pressed);
    case "teach":
      return submit(
        context,
        pressed,
        { text: teachThis, key: `teach:${pressed.turn.turn_id}`, to: "room" },
        pressed.by,
      );
    default:
      return actForAsker(context, pressed, action.role);
  }
}

async function actForAsker(
  context: IntakeContext,
  pressed: TurnPress,
  role: Exclude<
    TurnAction["role"],
    "decide" | "edit" | "arguments" | "answer" | "feedback" | "details" | "teach"
  >,
): Promise<string | undefined> {
  const { turn, by } = pressed;
  if (!mayStop(by, turn))
    return `Only ${turn.author.name}, who asked, or a manager of the channel may do this.`;
  switch (role) {
    case "stop":
      return stop(context, pressed);
    case "again":
      return repeat(context, pressed);
    case "continue":
      return submit(context, pressed, { text: "continue", key: `continue:${turn.turn_id}`, to: "room" });
    case "forget":
      return forget(context, pressed);
    default:
      return role satisfies never;
  }
}

async function rate(
  context: IntakeContext,
  pressed: TurnPress,
  verdict: Verdict,
): Promise<string | undefined> {
  const { store, logger } = context;
  const { turn, by } = pressed;
  if (!(await storeFeedback(store, turn.turn_id, by.id, verdict)))
    return "You have already given this feedback; it is noted.";
  const { turn_id, namespace } = turn;
  logger.info({ feedback: verdict, turn_id, namespace, person: by.id }, "Somebody rated an answer");
  if (verdict === "good") return "Thanks, noted.";
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
  verdict: Verdict,
): Promise<boolean> {
  let before: Verdict | undefined;
  await store.update<Record<string, Verdict>>(feedbackKey(turnId), (verdicts = {}) => {
    before = Object.hasOwn(verdicts, person) ? verdicts[person] : undefined;
    return { ...verdicts, [person]: verdict };
  });
  return before !== verdict;
}

async function decide(
  { app }: IntakeContext,
  approvalId: string,
  verdict: ApprovalVerdict,
  { turn, by }: TurnPress,
): Promise<string | undefined> {
  return decideWith(app, { id: approvalId, ...verdictInput(verdict) }, by, turn);
}

/** Approves with the changed text of the form. Without one, the platform did not show the form. */
async function edit(
  { app }: IntakeContext,
  approvalId: string,
  { press, turn, by }: TurnPress,
): Promise<string | undefined> {
  if (press.text === undefined) return "The form could not be opened. Press **Edit** again.";
  return decideWith(app, { id: approvalId, approve: true, text: press.text }, by, turn);
}

async function decideWith(
  app: IntakeContext["app"],
  input: InputOf<"approval.decide">,
  by: Author,
  turn: TurnRecord,
): Promise<string | undefined> {
  const decided = await app.run("approval.decide", { input, asker: { by, namespace: turn.namespace } });
  if (!decided.ok) return decided.message;
  return decided.value.decided ? undefined : "This has already been decided, or it has expired.";
}

/** The exact arguments of an approval. */
async function showArguments(
  { app, platform }: IntakeContext,
  id: string,
  { turn, by }: TurnPress,
): Promise<string> {
  const found = await app.run("approval.show", { input: { id }, asker: { by, namespace: turn.namespace } });
  if (!found.ok) return found.message;
  const { tool, skill_id, input } = found.value;
  const room = Math.min(maxDetails, platform.limits.message_characters - 400);
  return `**${escapeMarkdown(oneLine([skill_id, tool].filter(Boolean).join(", "), 200))}**\n${fenced(cut(exactJson(input), room))}`;
}

/** Steering a turn is for its asker alone. */
async function answer(
  { app, log, clock }: IntakeContext,
  { turn, by }: TurnPress,
  choice: number,
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

/** The receipt, and for those who see the whole turn its steps with input and output. */
async function details({ app, log, platform }: IntakeContext, { turn, by }: TurnPress): Promise<string> {
  const asker = { by, namespace: turn.namespace };
  const made = await app.run("turn.receipt", { input: { id: turn.turn_id }, asker });
  if (!made.ok) return made.message;
  const { text, private: isPrivate } = made.value;
  const seesSteps = turn.author.id === by.id || (!isPrivate && mayStop(by, turn));
  const { steps } = (await log.read(turn.turn_id)).reduce(foldTurn, emptyTurnView(turn.turn_id));
  const room = Math.min(maxDetails, platform.limits.message_characters - 100);
  if (!seesSteps || steps.length === 0) return cutList(text, room);
  const receipt = cutList(text, Math.floor(room / 2)) + separator;
  return receipt + stepTexts(steps, room - receipt.length);
}

/** The lines of a list in at most so many characters. A line that is too long ends after one of its entries. */
function cutList(text: string, characters: number): string {
  const lines: string[] = [];
  let room = characters;
  for (const line of text.split("\n")) {
    const end = line.length < room ? line.length : line.lastIndexOf(", ", room - 3);
    if (end <= 0) break;
    const shown = end === line.length ? line : `${line.slice(0, end)} …`;
    lines.push(shown);
    room -= shown.length + 1;
  }
  return lines.join("\n");
}

async function repeat(context: IntakeContext, pressed: TurnPress): Promise<string | undefined> {
  const { turn, press } = pressed;
  if (turn.text === "") return "The question was deleted. Please ask again.";
  const key = repeatKey(turn.turn_id, press.id);
  if (turn.kind === "command") return submit(context, pressed, { text: turn.text, key });
  return submit(context, pressed, { text: turn.text, key, to: turn.text.startsWith("/") ? "bot" : "room" });
}

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
  return outcome.value.accepted ? undefined : "This is already in progress.";
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
    paths
      .slice(0, 10)
      .map((path) => `\`${path.replaceAll("`", "'")}\``)
      .join(", ");
  const more = made.length > 10 ? ` and ${made.length - 10} more` : "";
  return `Deleted, together with ${names(attachments)}. Files made from that are still in this thread: ${names(made)}${more}. To delete one, use \`/agent files remove PATH\`.`;
}

/**
 * Steps with input and output, in Markdown of at most `characters`. The text comes from the log, where secrets are already removed.
 */
function stepTexts(steps: readonly StepView[], characters: number): string {
  const shown = steps.slice(0, Math.max(1, Math.floor(characters / minPerStep)));
  const left = steps.length - shown.length;
  const end = left === 0 ? "" : `${separator}… and ${left} more; the console shows all.`;
  const each = Math.floor((characters - end.length) / shown.length) - separator.length;
  return shown.map((step, index) => stepText(step, index + 1, each)).join(separator) + end;
}

const separator = "\n\n";

/** Minimum characters for a useful step; steps with less room are left out. */
const minPerStep = 300;

/** Room for headline, labels and fences of a step, characters. */
const frame = 140;

function stepText(step: StepView, position: number, characters: number): string {
  const duration = step.duration_ms === undefined ? "still running" : formatDuration(step.duration_ms);
  const about = [cut(step.tool, 30), duration, step.state === "error" ? "failed" : ""].filter(Boolean);
  const headline = `**${position}. ${cut(step.title, 60)}** (${about.join(", ")})`;
  const room = Math.max(40, characters - frame);
  const input = readable(step.input);
  const output = step.output === undefined ? "" : readable(step.output);
  const inputRoom = Math.max(Math.floor(room / 2), room - output.length);
  const shownInput = cut(input, inputRoom);
  const parts = [headline, `Input\n${fenced(shownInput)}`];
  if (output !== "") parts.push(`Output\n${fenced(cut(output, room - shownInput.length))}`);
  return parts.join("\n");
}

/** Names and values on lines, without the signs of JSON. */
function readable(value: Json): string {
  if (typeof value === "string") return value;
  const digits = (_name: unknown, each: unknown) => (each instanceof ExactNumber ? each.digits : each);
  return stringify(value, digits, { lineWidth: 0 }).trimEnd();
}

function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(characters - 2)) ? characters - 2 : characters - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}

/** A block that its content cannot close: an invisible space separates backticks in it. */
function fenced(text: string): string {
  return `\`\`\`\n${text.replaceAll("```", "`\u200b`\u200b`")}\n\`\`\``;
}

import { errorText } from "../../base/error-text.ts";
import { type ApiClient, ownTimeZone } from "../../client/api-client.ts";
import { ApiError } from "../../client/api-error.ts";
import type { TurnWithEvents } from "../../client/shapes.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { formatBytes } from "../../core/values/shown.ts";
import { askPerson } from "./ask-person.ts";
import { type AttachedFile, attachedFile } from "./attached-file.ts";
import { decidePerson } from "./decide-person.ts";
import { finalLines } from "./final-lines.ts";
import { followTurn } from "./follow-turn.ts";
import { createInterrupts } from "./interrupts.ts";
import { createLineDisplay } from "./line-display.ts";
import { createLineInput, type Keys, type LineInput } from "./line-input.ts";
import { createPaint, type Paint } from "./paint.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { type ChatOutput, columnsOf } from "./screen.ts";

/** The part of the HTTP API that the chat uses. */
export type ChatClient = Pick<ApiClient, "call" | "submitTurn" | "turnEvents">;

interface ChatOptions {
  client: ChatClient;
  input: Keys;
  output: ChatOutput;
  clock: Pick<Clock, "now">;
  namespace: string;
  /** Continues this thread; a new one if undefined. */
  thread?: string | undefined;
  colours: boolean;
  /** Calls back on a signal to the process; returns a function that stops listening. */
  onInterrupt(listener: () => void): () => void;
}

/** What the parts of a chat share. */
interface Chat extends ChatOptions {
  /** Whether input and output are a terminal. */
  interactive: boolean;
  lines: LineInput;
  interrupts: ReturnType<typeof createInterrupts>;
  paint: Paint;
}

/**
 * A conversation in the terminal until `/exit`, the end of the input, or Ctrl-C twice. The output only grows. On a terminal, lines are
 * edited; otherwise each line of the input is a message.
 */
export async function runChat(options: ChatOptions): Promise<void> {
  const { client, input, output, namespace } = options;
  const interactive = input.isTTY === true && output.isTTY === true;
  const paint = createPaint(options.colours);
  const earlier = await turnsOf(options);
  const about = await client.call("bot.about", {});
  const complain = (error: unknown) => lines.say(paint.bad(plainLine(errorText(error))));
  const interrupts = createInterrupts({
    stop: (id) => void client.call("turn.stop", { id }).catch(complain),
    clear: () => lines.clear(),
    warn: () => lines.say(paint.dim("Press Ctrl-C again to leave.")),
  });
  const lines = createLineInput({
    ...{ input, output, interactive, onInterrupt: interrupts.press },
    history: earlier.map(({ turn }) => plainText(turn.question)).reverse(),
    complete: (line) => completeLine(line, options),
  });
  const stopListening = options.onInterrupt(interrupts.press);
  const chat: Chat = { ...options, interactive, lines, interrupts, paint };
  try {
    if (interactive) {
      lines.say(`${paint.bold(plainLine(about.name))} ${paint.dim(`· ${about.model} · ${namespace}`)}`);
      lines.say(paint.dim(keys));
      showThread(earlier, chat);
    }
    const running = earlier.find(({ turn }) => turn.status !== "finished");
    if (running !== undefined) await follow(chat, running.turn.turn_id, running.events);
    const thread = await converse(chat);
    if (interactive && thread !== undefined)
      lines.say(paint.dim(`Continue later with: knack chat --namespace ${namespace} --thread ${thread}`));
  } finally {
    stopListening();
    lines.close();
  }
}

async function turnsOf({ client, namespace, thread }: ChatOptions): Promise<TurnWithEvents[]> {
  if (thread === undefined) return [];
  return (await client.call("thread.show", { ns: namespace, thread })).turns;
}

const keys =
  "/exit leaves, /new starts a new thread, /file PATH attaches a file, /skill list shows what I can do, Tab completes.";

/** Sends what is typed until the person leaves. Returns the thread. */
async function converse(chat: Chat): Promise<string | undefined> {
  const { lines, interrupts, paint } = chat;
  const next: NextMessage = { thread: chat.thread, files: [] };
  const prompt = chat.interactive ? paint.accent("› ") : "";
  for (;;) {
    const text = (await lines.read(prompt, interrupts.left))?.trim();
    if (text === undefined || text === "/exit" || text === "/quit") return next.thread;
    if (text === "") continue;
    interrupts.forget();
    if (text === "/new") {
      next.thread = undefined;
      lines.say(paint.dim("A new thread begins with your next message."));
    } else if (/^\/file( |$)/.test(text)) await attach(text.slice(5), next, chat);
    else await send(text, next, chat);
  }
}

/** Where the next message goes, and the files that go with it. */
interface NextMessage {
  thread: string | undefined;
  files: AttachedFile[];
}

/** Sends a message or command and shows its turn until it ends. */
async function send(text: string, next: NextMessage, chat: Chat): Promise<void> {
  const { client, namespace, lines, paint } = chat;
  try {
    const message = { namespace, text, thread: next.thread, ...ownTimeZone() };
    const accepted = await client.submitTurn(message, next.files);
    next.files = [];
    next.thread = accepted.thread;
    await follow(chat, accepted.turn_id);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    lines.say(paint.bad(plainLine(errorText(error))));
  }
}

/** Attaches a local file to the next message, beside those that are attached already. */
async function attach(path: string, next: NextMessage, { lines, paint }: Chat): Promise<void> {
  const file = path.trim() === "" ? "Which file? For example /file report.pdf" : await attachedFile(path);
  if (typeof file === "string") return lines.say(paint.bad(plainLine(file)));
  next.files.push(file);
  const names = next.files.map(({ name, content }) => `${plainLine(name)} (${formatBytes(content.size)})`);
  lines.say(paint.dim(`Attached to your next message: ${names.join(", ")}`));
}

/** Shows a turn until it ends, beginning with its known events. */
async function follow(chat: Chat, turnId: string, known: readonly TurnEvent[] = []): Promise<void> {
  const { client, interactive, lines, interrupts, paint, output, clock } = chat;
  const signal = interrupts.begin(turnId);
  const display = createLineDisplay({ progress: lines.say, answer: lines.say }, clock, paint);
  if (interactive)
    display.finish = (view) => lines.say(finalLines(view, columnsOf(output), paint).join("\n"));
  const asking = { ...lines, paint, prompt: interactive ? paint.accent("? ") : "" };
  const until = (over: AbortSignal) => AbortSignal.any([over, interrupts.left]);
  try {
    await followTurn({
      ...{ client, turnId, known, display, signal },
      ask: (question, over) => askPerson(question, until(over), asking),
      decide: (approval, over) => decidePerson(approval, until(over), asking),
    });
  } finally {
    interrupts.end();
  }
}

/** The commands that the chat itself handles. */
const localCommands = ["/exit", "/new", "/file "];

async function completeLine(line: string, { client, namespace }: ChatOptions): Promise<string[]> {
  if (!/^[/／]/.test(line)) return [];
  const { completions } = await client.call("command.complete", { text: line, namespace });
  const local = localCommands.filter((command) => command.startsWith(line));
  return [...completions.map(({ text }) => text), ...local];
}

const shownTurns = 5;

/** Shows the last turns of a thread, and the question of the one that runs. */
function showThread(turns: readonly TurnWithEvents[], { output, lines, paint }: Chat): void {
  const all = turns.filter(({ turn }) => turn.merged_into === undefined);
  if (all.length > shownTurns) lines.say(paint.dim(`… ${all.length - shownTurns} earlier`));
  for (const { turn, events } of all.slice(-shownTurns)) {
    lines.say(`${paint.accent("›")} ${plainText(turn.question)}`);
    if (turn.status !== "finished") continue;
    const view = events.reduce(foldTurn, emptyTurnView(turn.turn_id));
    lines.say(finalLines(view, columnsOf(output), paint).join("\n"));
  }
}

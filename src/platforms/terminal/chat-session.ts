import { errorText } from "../../base/error-text.ts";
import { ownTimeZone } from "../../client/api-client.ts";
import { ApiError } from "../../client/api-error.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { ApprovalView, QuestionView } from "../../core/log/turn-view.ts";
import { formatBytes } from "../../core/values/shown.ts";
import { askPerson } from "./ask-person.ts";
import { type AttachedFile, attachedFile } from "./attached-file.ts";
import type { ChatOptions } from "./chat-options.ts";
import { decidePerson } from "./decide-person.ts";
import { followTurn } from "./follow-turn.ts";
import { createLineDisplay } from "./line-display.ts";
import { createLineReader } from "./line-reader.ts";
import { createLiveDisplay } from "./live-display.ts";
import { createPaint, type Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";
import { type Screen, screenOf } from "./screen.ts";

/** The commands that the chat itself handles. */
const localCommands = ["/exit", "/new", "/file "];

export interface ChatSession {
  /** Whether input and output are a terminal: lines are edited and progress is redrawn in place. */
  readonly interactive: boolean;
  readonly paint: Paint;
  readonly screen: Screen;
  say(line: string): void;
  /** Undefined until the first message is sent. */
  thread(): string | undefined;
  /** The next line; undefined at the end of the input, or after the person left with Ctrl-C. */
  read(): Promise<string | undefined>;
  startThread(): void;
  /** Attaches a local file to the next message. */
  attach(path: string): Promise<void>;
  /** Sends a message or command and shows its turn until it ends. */
  send(text: string): Promise<void>;
  /** Shows a turn, beginning with its known events. */
  follow(turnId: string, known?: readonly TurnEvent[]): Promise<void>;
  close(): void;
}

/** A chat's thread, input and display. `history` has earlier inputs, oldest first. */
export function createChatSession(options: ChatOptions, history: readonly string[]): ChatSession {
  const { client, input, output, namespace, clock } = options;
  const interactive = input.isTTY === true && output.isTTY === true;
  const paint = createPaint(options.colours);
  const screen = screenOf(output);
  const say = (line: string) => screen.write(`${line}\n`);
  const showError = (error: unknown) => say(paint.bad(plainLine(errorText(error))));
  let thread = options.thread;
  let files: AttachedFile[] = [];

  const interrupts = createInterrupts({
    stop: (turnId) => void client.call("turn.stop", { id: turnId }).catch(showError),
    empty: () => {
      say("");
      reader.clear();
    },
    warn: () => {
      say(paint.dim("\nPress Ctrl-C again to leave."));
      reader.clear();
    },
  });
  const reader = createLineReader({
    input,
    output,
    interactive,
    history: history.toReversed(),
    complete: (line) => completeLine(line, options),
    onInterrupt: interrupts.press,
  });
  const stopListening = options.onInterrupt(() => interrupts.press(""));
  const newDisplay = () =>
    interactive
      ? createLiveDisplay(screen, paint, clock)
      : createLineDisplay({ progress: screen.write, answer: screen.write }, clock);
  const asking = { reader, say, paint, prompt: interactive ? paint.accent("? ") : "" };

  const follow: ChatSession["follow"] = async (turnId, known = []) => {
    const signal = interrupts.begin(turnId);
    const ask = (question: QuestionView, over: AbortSignal) =>
      askPerson(question, AbortSignal.any([over, interrupts.left]), asking);
    const decide = (approval: ApprovalView, over: AbortSignal) =>
      decidePerson(approval, AbortSignal.any([over, interrupts.left]), asking);
    try {
      await followTurn({ client, turnId, known, display: newDisplay(), signal, ask, decide });
    } finally {
      interrupts.end();
    }
  };
  return {
    interactive,
    paint,
    screen,
    say,
    thread: () => thread,
    read: () => reader.read(interactive ? paint.accent("› ") : "", interrupts.left),
    startThread() {
      thread = undefined;
      say(paint.dim("A new thread begins with your next message."));
    },
    async attach(path) {
      const file = path.trim() === "" ? "Which file? For example /file report.pdf" : await attachedFile(path);
      if (typeof file === "string") return say(paint.bad(plainLine(file)));
      files = [...files, file];
      const names = files.map(({ name, content }) => `${plainLine(name)} (${formatBytes(content.size)})`);
      say(paint.dim(`Attached to your next message: ${names.join(", ")}`));
    },
    async send(text) {
      interrupts.forget();
      try {
        const message = { namespace, text, ...ownTimeZone(), ...(thread === undefined ? {} : { thread }) };
        const accepted = await client.submitTurn(message, files);
        files = [];
        thread = accepted.thread;
        await follow(accepted.turn_id);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        showError(error);
      }
    },
    follow,
    close() {
      stopListening();
      reader.close();
    },
  };
}

async function completeLine(line: string, { client, namespace }: ChatOptions): Promise<string[]> {
  if (!/^[/／]/.test(line)) return [];
  const { completions } = await client.call("command.complete", { text: line, namespace });
  const local = localCommands.filter((command) => command.startsWith(line));
  return [...completions.map(({ text }) => text), ...local];
}

interface Interrupts {
  /** Aborts when the person leaves. */
  readonly left: AbortSignal;
  /** Ctrl-C, with the current text of the input line. */
  press(line: string): void;
  /** A turn is shown; the signal aborts when the person stops watching it. */
  begin(turnId: string): AbortSignal;
  end(): void;
  /** Something was sent: the next Ctrl-C counts as the first again. */
  forget(): void;
}

/**
 * Handles Ctrl-C: it stops the running turn, otherwise empties the input line, otherwise asks for a second Ctrl-C, which leaves
 * the chat. A second one while a turn is stopping leaves at once.
 */
function createInterrupts(act: { stop(turnId: string): void; empty(): void; warn(): void }): Interrupts {
  const left = new AbortController();
  let running: { turnId: string; stopping: boolean; watch: AbortController } | undefined;
  let warned = false;
  const leave = () => {
    running?.watch.abort();
    left.abort();
  };
  return {
    left: left.signal,
    press(line) {
      if (running !== undefined) {
        if (running.stopping) return leave();
        running.stopping = true;
        return act.stop(running.turnId);
      }
      if (line !== "") return act.empty();
      if (warned) return leave();
      warned = true;
      act.warn();
    },
    begin(turnId) {
      running = { turnId, stopping: false, watch: new AbortController() };
      return running.watch.signal;
    },
    end() {
      running = undefined;
    },
    forget() {
      warned = false;
    },
  };
}

import { EventEmitter, once } from "node:events";
import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";

/** An input that may be a terminal, such as `process.stdin`. */
export interface Keys extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

interface LineInputOptions {
  input: Keys;
  output: NodeJS.WritableStream;
  /** Whether lines are edited, with history and completion. Otherwise they are read as they come. */
  interactive: boolean;
  /** Earlier inputs, newest first. */
  history?: readonly string[];
  /** Completions of the line so far. */
  complete?(line: string): Promise<string[]>;
  onInterrupt(): void;
}

export type LineInput = ReturnType<typeof createLineInput>;

/**
 * Reads lines. On a terminal, lines that arrive at once are one text: somebody pasted them. The last of them may still be edited, and is
 * sent with Enter.
 */
export function createLineInput(options: LineInputOptions) {
  const { input, output, interactive, history = [], complete, onInterrupt } = options;
  const editor = createInterface({
    input,
    output: interactive ? output : undefined,
    terminal: interactive,
    prompt: "",
    history: [...history],
    historySize: 500,
    crlfDelay: Number.POSITIVE_INFINITY,
    completer: (line: string, done: (error: null, result: [string[], string]) => void) => {
      const found = complete?.(line).catch(() => []);
      void (found ?? Promise.resolve([])).then((completions) => done(null, [completions, line]));
    },
  });
  const changes = new EventEmitter();
  const ready: string[] = [];
  let typed: string[] = [];
  let closed = false;
  const deliver = () => {
    if (typed.length === 0 || (interactive && editor.line !== "" && !closed)) return;
    ready.push(typed.join("\n"));
    typed = [];
    changes.emit("change");
  };
  editor.on("SIGINT", onInterrupt);
  editor.on("line", (line) => {
    typed.push(line);
    if (interactive) setImmediate(deliver);
    else deliver();
  });
  editor.on("close", () => {
    closed = true;
    deliver();
    changes.emit("change");
  });
  const show = () => {
    if (interactive && !closed && editor.getPrompt() + editor.line !== "") editor.prompt(true);
  };
  return {
    /** The next line, also one that arrived before it was asked for; undefined at the end of the input or when the signal aborts. */
    async read(prompt: string, signal: AbortSignal): Promise<string | undefined> {
      editor.setPrompt(prompt);
      if (ready.length === 0) show();
      while (ready.length === 0 && !closed && !signal.aborted)
        await once(changes, "change", { signal }).catch(() => undefined);
      editor.setPrompt("");
      return signal.aborted ? undefined : ready.shift();
    },
    /** Writes lines above the input line. */
    say(text: string): void {
      if (interactive) {
        moveCursor(output, 0, -editor.getCursorPos().rows);
        cursorTo(output, 0);
        clearScreenDown(output);
      }
      output.write(`${text}\n`);
      show();
    },
    /** Empties the input line. False if nothing was typed. */
    clear(): boolean {
      if (!interactive) return false;
      const something = editor.line !== "" || typed.length > 0;
      typed = [];
      editor.write(null, { ctrl: true, name: "e" });
      editor.write(null, { ctrl: true, name: "u" });
      return something;
    },
    close: () => editor.close(),
  };
}

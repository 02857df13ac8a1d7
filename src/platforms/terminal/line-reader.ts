import { createInterface, type Interface } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { plainText } from "./plain-text.ts";

/** An input that may be a terminal, such as `process.stdin`. */
export interface Keys extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

export interface LineReaderOptions {
  input: Keys;
  output: NodeJS.WritableStream;
  /** Whether lines are edited, with history, completion and paste. Otherwise they are read as they come. */
  interactive: boolean;
  history: readonly string[];
  /** Completions of the line so far. */
  complete(line: string): Promise<string[]>;
  /** Ctrl-C, with the current text of the input line. */
  onInterrupt(line: string): void;
}

export interface LineReader {
  /** The next line; undefined at the end of the input or when the signal aborts. A `\` at the end continues on the next line. */
  read(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Empties the input line and shows the prompt again. */
  clear(): void;
  close(): void;
}

const interruptKey = "\u0003";

export function createLineReader(options: LineReaderOptions): LineReader {
  return options.interactive ? createEditor(options) : createPlainReader(options);
}

function createPlainReader({ input }: LineReaderOptions): LineReader {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const next = queueLines(lines);
  return { read: (_prompt, signal) => next(signal), clear: () => undefined, close: () => lines.close() };
}

/**
 * Keys reach the editor only while a line is read. Other input is held back until then, so that it does not disturb the
 * display.
 */
function createEditor({ input, output, history, complete, onInterrupt }: LineReaderOptions): LineReader {
  const filter = createPasteFilter();
  const keys = new PassThrough();
  const decoder = new StringDecoder("utf8");
  const editor = createInterface({
    input: keys,
    output,
    terminal: true,
    history: [...history],
    historySize: 500,
    completer: (line: string, done: (error: Error | null, result: [string[], string]) => void) => {
      complete(line).then(
        (found) => done(null, [found, line]),
        () => done(null, [[], line]),
      );
    },
  });
  let reading = false;
  let waiting = "";
  const onData = (chunk: Buffer | string) => {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    if (reading) keys.write(filter.feed(text));
    else if (text.includes(interruptKey)) onInterrupt("");
    else waiting += text;
  };
  const onEnd = () => keys.end();
  editor.on("SIGINT", () => onInterrupt(editor.line));
  input.setRawMode?.(true);
  input.on("data", onData).on("end", onEnd);
  output.write(bracketedPaste.on);
  const next = queueLines(editor);

  return {
    async read(prompt, signal) {
      reading = true;
      editor.setPrompt(prompt);
      editor.prompt();
      keys.write(filter.feed(waiting));
      waiting = "";
      try {
        return await readContinued(editor, next, filter.expand, signal);
      } finally {
        reading = false;
      }
    },
    clear() {
      if (!reading) return;
      editor.write(null, { ctrl: true, name: "e" });
      editor.write(null, { ctrl: true, name: "u" });
      editor.prompt();
    },
    close() {
      editor.close();
      input.off("data", onData).off("end", onEnd);
      input.setRawMode?.(false);
      input.pause();
      output.write(bracketedPaste.off);
    },
  };
}

async function readContinued(
  editor: Interface,
  next: (signal?: AbortSignal) => Promise<string | undefined>,
  expand: (line: string) => string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await next(signal);
    if (line === undefined) return undefined;
    if (!line.endsWith("\\")) return expand([...lines, line].join("\n"));
    lines.push(line.slice(0, -1));
    editor.setPrompt("… ");
    editor.prompt();
  }
}

/** Lines in order, including those that arrive before they are requested. */
function queueLines(lines: Interface): (signal?: AbortSignal) => Promise<string | undefined> {
  const ready: string[] = [];
  let closed = false;
  let wake = () => {};
  lines.on("line", (line) => {
    ready.push(line);
    wake();
  });
  lines.on("close", () => {
    closed = true;
    wake();
  });
  return (signal) =>
    new Promise((resolve) => {
      const settle = () => {
        const over = closed || signal?.aborted === true;
        if (ready.length === 0 && !over) return;
        wake = () => {};
        signal?.removeEventListener("abort", settle);
        resolve(signal?.aborted === true ? undefined : ready.shift());
      };
      wake = settle;
      signal?.addEventListener("abort", settle);
      settle();
    });
}

/** Turn the terminal's marks around pasted text on and off. */
const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

const start = "\u001b[200~";
const end = "\u001b[201~";
/** A pasted single line of at most this many characters enters the input line as if typed. */
const maxTypedPaste = 500;

interface PasteFilter {
  /** The part of the next keys for the line editor. */
  feed(keys: string): string;
  /** A line of the editor, with its placeholders replaced by the pasted texts. */
  expand(line: string): string;
}

/**
 * Keeps pasted text from being read as keys: a newline in it would send the line, and a long text would be redrawn letter by
 * letter. The editor gets a placeholder such as `[Pasted text 1: 12 lines]` instead.
 */
function createPasteFilter(): PasteFilter {
  const pasted = new Map<string, string>();
  let pending = "";
  let paste: string | undefined;

  const placeholderFor = (text: string) => {
    if (!text.includes("\n") && text.length <= maxTypedPaste) return text;
    const lines = text.split("\n").length;
    const size = lines === 1 ? `${text.length} characters` : `${lines} lines`;
    const name = `[Pasted text ${pasted.size + 1}: ${size}]`;
    pasted.set(name, text);
    return name;
  };
  return {
    feed(keys) {
      let rest = pending + keys;
      let out = "";
      for (;;) {
        const { before, after, found } = split(rest, paste === undefined ? start : end);
        if (paste === undefined) out += before;
        else paste += before;
        pending = rest = after;
        if (!found) return out;
        if (paste !== undefined) out += placeholderFor(plainText(paste.replace(/\r\n?/g, "\n")));
        paste = paste === undefined ? "" : undefined;
      }
    },
    expand(line) {
      return line.replace(
        /\[Pasted text \d+: \d+ (?:lines|characters)\]/g,
        (name) => pasted.get(name) ?? name,
      );
    },
  };
}

/**
 * Splits a text at its first mark. The beginning of a mark at the end of the text is held back; a lone escape is the Escape
 * key.
 */
function split(text: string, mark: string): { before: string; after: string; found: boolean } {
  const at = text.indexOf(mark);
  if (at >= 0) return { before: text.slice(0, at), after: text.slice(at + mark.length), found: true };
  for (let length = mark.length - 1; length > 1; length--) {
    if (!text.endsWith(mark.slice(0, length))) continue;
    return { before: text.slice(0, -length), after: text.slice(-length), found: false };
  }
  return { before: text, after: "", found: false };
}

import type { QuestionView } from "../../core/log/turn-view.ts";
import type { LineInput } from "./line-input.ts";
import type { Paint } from "./paint.ts";
import { plainLine, plainText } from "./plain-text.ts";

/** The input and output with which a person is asked. */
export interface PersonPrompt extends Pick<LineInput, "read" | "say"> {
  paint: Paint;
  /** Prompt before the input. */
  prompt: string;
}

/** Shows a question above the prompt and reads lines until it is answered. Undefined if `over` aborts first. */
export function askPerson(
  question: QuestionView,
  over: AbortSignal,
  person: PersonPrompt,
): Promise<string | undefined> {
  return readUntil(askPrompt(question, person.paint), over, person, (line) => readAnswer(question, line));
}

/** Shows the lines, and reads until `meaningOf` understands one. Undefined if `over` aborts first. */
export async function readUntil<T>(
  lines: readonly string[],
  over: AbortSignal,
  { read, say, prompt }: PersonPrompt,
  meaningOf: (line: string) => T | undefined,
): Promise<T | undefined> {
  for (const line of lines) say(line);
  for (;;) {
    const line = await read(prompt, over);
    const meaning = line === undefined ? undefined : meaningOf(line);
    if (line === undefined || meaning !== undefined) return meaning;
  }
}

/** The lines of a question and its choices, above the prompt. */
function askPrompt({ text, choices }: QuestionView, paint: Paint): string[] {
  const listed = choices.map((choice, index) => `  ${paint.accent(`${index + 1}`)} ${plainLine(choice)}`);
  return [
    paint.bold(plainText(text)),
    ...listed,
    ...(choices.length > 0 ? [paint.dim("A number, or your own words:")] : []),
  ];
}

/** The choice with this number, otherwise the text itself; undefined for an empty line, which leaves the question open. */
function readAnswer({ choices }: QuestionView, line: string): string | undefined {
  const text = line.trim();
  const number = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  return number ?? (text || undefined);
}

import type { QuestionView } from "../../core/turn-view.ts";
import type { LineReader } from "./line-reader.ts";
import type { Paint } from "./paint.ts";
import { plainLine, plainText } from "./plain-text.ts";

/** Puts a question above the prompt and reads until something was answered. */
export async function askPerson(
  question: QuestionView,
  over: AbortSignal,
  {
    reader,
    say,
    paint,
    prompt,
  }: { reader: LineReader; say(line: string): void; paint: Paint; prompt: string },
): Promise<string | undefined> {
  for (const line of askPrompt(question, paint)) say(line);
  for (;;) {
    const line = await reader.read(prompt, over);
    if (line === undefined) return undefined;
    const answer = readAnswer(question, line);
    if (answer !== undefined) return answer;
  }
}

/** A question of the agent with its choices, as lines above the prompt. */
function askPrompt({ text, choices }: QuestionView, paint: Paint): string[] {
  const listed = choices.map((choice, index) => `  ${paint.accent(`${index + 1}`)} ${plainLine(choice)}`);
  return [
    paint.bold(plainText(text)),
    ...listed,
    ...(choices.length > 0 ? [paint.dim("A number, or your own words:")] : []),
  ];
}

/** The choice a number stands for, else the text as it is; undefined for an empty line, which leaves the question open. */
function readAnswer({ choices }: QuestionView, line: string): string | undefined {
  const text = line.trim();
  const number = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  return number ?? (text || undefined);
}

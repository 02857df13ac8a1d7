/** Counts the tokens of a text, roughly; budgets are guards, not bills. */
export type CountTokens = (text: string) => number;

/** As much of a text's beginning as fits into `tokens`, and how many characters that leaves out. */
export function fitBeginning(
  text: string,
  tokens: number,
  countTokens: CountTokens,
): { text: string; left_out: number } {
  // A token has at least one character, and hardly one has more than twelve.
  if (text.length <= tokens) return { text, left_out: 0 };
  let length = Math.min(text.length, Math.max(0, tokens) * 12);
  while (length > 0 && countTokens(text.slice(0, length)) > tokens) length = Math.floor(length * 0.8);
  const kept = text.slice(0, length).toWellFormed();
  return { text: kept, left_out: text.length - length };
}

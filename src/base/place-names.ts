/** How something is written: a person reads `expected` when a text does not match `pattern`. */
export interface Spelling {
  maxChars: number;
  pattern: RegExp;
  expected: string;
}

/** `platform:workspace:channel`. `namespaceSchema` is made from it; the command line checks it without loading schemas. */
export const namespaceSpelling: Spelling = {
  maxChars: 200,
  pattern: /^[a-z][a-z0-9-]*(:[A-Za-z0-9._~-]+){1,3}$/,
  expected: "expected platform:workspace:channel, e.g. console:local:general",
};

/** The id of a thread. `threadSchema` is made from it. */
export const threadSpelling: Spelling = {
  maxChars: 200,
  pattern: /^[A-Za-z0-9._~:-]+$/,
  expected: "expected letters, digits and . _ ~ : -",
};

/** Why a text is not spelled like this; undefined when it is. */
export function misspelling(text: string, { maxChars, pattern, expected }: Spelling): string | undefined {
  if (text.length > maxChars) return `expected at most ${maxChars} characters`;
  return pattern.test(text) ? undefined : expected;
}

/**
 * Builds a regular expression: `` pattern("gu")`^${spaces}(?=${bracket})` ``. Expressions are inserted as they are, texts and numbers are
 * escaped, so text from outside is never a pattern. All regular expressions with values are built by this function.
 */
export function pattern(flags = ""): (written: TemplateStringsArray, ...parts: Part[]) => RegExp {
  return ({ raw }, ...parts) => {
    const source = raw.map((text, at) => text + sourceOf(parts[at] ?? "")).join("");
    return new RegExp(source, flags);
  };
}

type Part = RegExp | string | number;

function sourceOf(part: Part): string {
  return part instanceof RegExp ? part.source : escaped(String(part));
}

/** Replaces characters that have a meaning in patterns with their codes, which are valid under all flags. */
function escaped(text: string): string {
  return text.replace(/[\s\p{P}\p{S}]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code > 0xff ? sign : `\\x${code.toString(16).padStart(2, "0")}`;
  });
}

/** The regular expression that an operator wrote; undefined if it is not valid. */
export function writtenPattern(text: string): RegExp | undefined {
  try {
    return new RegExp(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is a valid regular expression. It is not run. */
export function isPattern(text: string): boolean {
  return writtenPattern(text) !== undefined;
}

/**
 * Puts a regular expression together: `` pattern("gu")`^${spaces}(?=${bracket})` ``. Expressions are inserted as they are written, texts
 * and numbers stand for their own characters, so that no text from outside is ever read as a pattern. Nothing else in the house makes
 * regular expressions of values.
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

/** Every character that means something in a pattern is written as its code, which is valid under all flags. */
function escaped(text: string): string {
  return text.replace(/[\s\p{P}\p{S}]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code > 0xff ? sign : `\\x${code.toString(16).padStart(2, "0")}`;
  });
}

/** Whether a text could be read as a regular expression. It is not run. */
export function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Untrusted text for people who decide on it: invisible characters, and characters that change the text direction, become
 * escapes such as `\u{202e}`, as in reviews. Line breaks stay.
 */
export function visibleText(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u115f\u1160\u3164\uffa0]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16).padStart(4, "0")}}`;
  });
}

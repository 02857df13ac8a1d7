/** The name of a file in a document: on one line, without invisible characters, cut at 200 characters. */
export function shownName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
  return line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`;
}

/** Splits a command line into words like a shell, with quotes but without expanding variables. */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

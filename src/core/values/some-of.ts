/** Tools that are named where a model gets the definitions of all of them anyway. */
const mostNamed = 5;

/** The names of tools in a sentence: all of a few, the first of many. */
export function someOf(names: readonly string[]): string {
  if (names.length <= mostNamed + 1) return names.join(", ");
  return `${names.slice(0, mostNamed).join(", ")} and ${names.length - mostNamed} more`;
}

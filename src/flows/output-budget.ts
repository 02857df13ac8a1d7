import type { Json } from "../core/values/json.ts";

/**
 * Answers values as long as all of them together fit into so many characters of JSON; of one that does not, it answers what was left
 * out. A flow that did its work does not fail because its results are large.
 */
export function createOutputBudget(characters: number): (value: Json) => Json {
  let left = characters;
  return (value) => {
    const size = typeof value === "string" ? value.length : JSON.stringify(value).length;
    if (size > left) return `[left out: ${size} characters]`;
    left -= size;
    return value;
  };
}

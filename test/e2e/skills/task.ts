import type { Step } from "../../support/models/honest-model.ts";

/** Something people ask a skill to do, and what has to come of it in the thread. */
export interface SkillTask {
  skill: string;
  say: string;
  /** Sent with the message. */
  files?: readonly { name: string; content: string | Uint8Array }[];
  /** What the model does: it may use only what stood in its request. */
  does(results: readonly string[], request: string): Step;
  /** What it answers the skill that asks it, by words of the skill's instructions. */
  within?: Readonly<Record<string, { answer(input: string): unknown; invents?: readonly string[] }>>;
  /** What the answer says. */
  says: readonly RegExp[];
  /** Files that are posted, by name, and charts that the platform draws itself, by title. */
  posts?: readonly RegExp[];
  /** People are asked first; the test approves. */
  asks?: true;
}

/** Calls a tool, then says something about its result. */
export function callThenSay(
  call: string,
  given: Record<string, unknown>,
  said: (result: string) => string,
  invents: readonly string[] = [],
): SkillTask["does"] {
  const words = Object.values(given).flatMap((value) => [
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return (results) =>
    results.length === 0
      ? { call, with: given, invents: [...words, ...textsIn(given), ...invents] }
      : { say: said(results.at(-1) ?? ""), invents };
}

/** The same with a skill that is not open: it is run by its id. */
export function runThenSay(
  skill_id: string,
  params: Record<string, unknown>,
  said: (result: string) => string,
  invents: readonly string[] = [],
): SkillTask["does"] {
  return callThenSay("invoke_skill", { skill_id, params }, said, [...textsIn(params), ...invents]);
}

/** A result that is JSON, as a model reads it; empty where it is something else. */
export function read(result: string): Record<string, Record<string, string>[] & string> {
  try {
    const value = JSON.parse(result);
    return value.output ?? value;
  } catch {
    return {};
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)]);
}

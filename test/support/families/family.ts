/**
 * A family is every way to write one thing, as a generator: rules are tested with some hundred of its members instead of a table of cases.
 * A spelling is a function of random choices, made of smaller ones with `oneOf`, `inOrder`, `many` and `changed`, and belongs into the file
 * of its subject (`addresses.ts`, `markdown.ts`). A test runs all members through a rule and expects no exceptions:
 *
 *     const name = inOrder(oneOf("Ann", "Bob"), many(" ", 1, 3), oneOf("Lee", fromClass(/\p{M}/u)));
 *     it("a label of any name is short", async () => {
 *       expect(await exceptions(name, (text) => labelOf(text).length <= 40)).toEqual([]);
 *     });
 *
 * The seed is fixed, so a run has the same members each time. `KNACK_FAMILIES=20` makes 20 times as many.
 */

/** A whole number from 0 to `limit` - 1. */
export type Random = (limit: number) => number;

/** One member of a family. The same choices make the same member. */
export type Spelling<T = string> = (random: Random) => T;

type Part<T> = T | Spelling<T>;

/** One of these, each as often as the others. */
export function oneOf<T = string>(...kinds: readonly Part<T>[]): Spelling<T> {
  return (random) => made(kinds[random(kinds.length)] as Part<T>, random);
}

/** All of these, one behind the other. */
export function inOrder(...parts: readonly Part<string>[]): Spelling {
  return (random) => parts.map((part) => made(part, random)).join("");
}

/** The part `least` to `most` times, made anew each time. */
export function many(part: Part<string>, least: number, most: number): Spelling {
  return (random) =>
    Array.from({ length: least + random(most - least + 1) }, () => made(part, random)).join("");
}

/** A part, changed with choices of its own. */
export function changed<T, Result>(
  part: Part<T>,
  change: (member: T, random: Random) => Result,
): Spelling<Result> {
  return (random) => change(made(part, random), random);
}

/** Each character of a part in the spelling that this makes of it. */
export function eachCharacter(part: Part<string>, spell: (character: string) => Spelling): Spelling {
  return changed(part, (text, random) => [...text].map((character) => spell(character)(random)).join(""));
}

/** Any character below U+20000 that matches a class, like `/\p{Cf}/u`, as often as the others. */
export function fromClass(pattern: RegExp): Spelling {
  const characters = Array.from({ length: 0x20000 }, (_, code) =>
    code >= 0xd800 && code <= 0xdfff ? "" : String.fromCodePoint(code),
  ).filter((character) => character !== "" && pattern.test(character));
  return oneOf(...characters);
}

function made<T>(part: Part<T>, random: Random): T {
  return typeof part === "function" ? (part as Spelling<T>)(random) : part;
}

const factor = Number(process.env.KNACK_FAMILIES ?? 1);

/** Members of a family, without repetitions. */
export function membersOf<T>(family: Spelling<T>, count = 300): T[] {
  const random = randomFrom(20_261_129);
  const all = new Map<string, T>();
  for (let at = 0; at < count * factor; at += 1) {
    const member = family(random);
    all.set(JSON.stringify(member), member);
  }
  return [...all.values()];
}

/** The members that a rule does not hold for: the first ten. */
export async function exceptions<T>(
  family: Spelling<T>,
  holds: (member: T) => boolean | Promise<boolean>,
  count?: number,
): Promise<T[]> {
  const found: T[] = [];
  for (const member of membersOf(family, count)) {
    if (!(await holds(member))) found.push(member);
    if (found.length === 10) break;
  }
  return found;
}

/** Mulberry32 (https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). */
function randomFrom(seed: number): Random {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

import { numberedFileName, safeFileName } from "../base/file-kind.ts";

/** Names that were safe once stay valid: the result of `safeFileName` may change. */
export function isStoredName(name: string): boolean {
  return /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u.test(name);
}

export function isTurnId(turnId: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,120}$/.test(turnId);
}

export function badTurnError(turnId: string): Error {
  return new Error(`${turnId} is no id of a turn`);
}

/**
 * The name that a new file of a turn gets: that of the file it replaces, or its own, made safe and followed by the next number that is not
 * taken. A name that has the same file already is not taken.
 */
export async function nameFor(
  { name }: { name: string },
  replaces: string | undefined,
  isTaken: (name: string) => boolean | Promise<boolean>,
): Promise<string> {
  const wanted = safeFileName(replaces ?? name);
  let free = wanted;
  for (let number = 2; replaces === undefined && (await isTaken(free)); number += 1)
    free = numberedFileName(wanted, number);
  return free;
}

import type { KeyValue } from "../../../core/key-value.ts";

export type Verdict = "good" | "bad";

/** Stores what a person thinks of an answer, once per person; answers whether that is news. */
export async function storeFeedback(
  store: KeyValue,
  turnId: string,
  person: string,
  verdict: Verdict,
): Promise<boolean> {
  let before: Verdict | undefined;
  await store.update<Record<string, Verdict>>(`feedback:${turnId}`, (verdicts = {}) => {
    before = Object.hasOwn(verdicts, person) ? verdicts[person] : undefined;
    return { ...verdicts, [person]: verdict };
  });
  return before !== verdict;
}

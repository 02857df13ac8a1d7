/** A turn that was running when the bot crashed. */
export interface CrashedTurn {
  ordinal: number;
  suspect: boolean;
  /** Earlier crashes of a settled bot in which it ran. */
  late_crashes: number;
  /** Whether a call of a tool was under way. Otherwise it only waited for its model. */
  in_call: boolean;
}

/** How far the process before came (`TurnQueue.reclaim`), and how many suspects could run at once then. */
export interface LifeBefore {
  state: string;
  /** Crashes in a row, without a life that settled, after which it began. */
  crashes: number;
  at_once: number;
}

/** What a crash changes, by the ordinals of turns. */
interface Judgement {
  /** The crash counts against them. */
  blamed: number[];
  /** They ran in a crash of a settled bot. */
  late: number[];
  /** They are suspects from now on. */
  suspects: number[];
  /** How many suspects may run at once now. */
  atOnce: number;
  /** Crashes in a row up to now. */
  crashes: number;
}

/** Number of late crashes from which on a turn is a suspect: it may contain something that crashes the bot only after a while. */
const manyLateCrashes = 3;

/** How long a suspect must run until it is cleared, ms; one with many late crashes must probably run longer than before. */
export function trialMs(lateCrashes: number): number {
  return 60_000 * (lateCrashes < manyLateCrashes ? 1 : 2 ** lateCrashes);
}

/** Whom the crash of a process that was alone is blamed on, as `TurnQueue.reclaim` describes (store-5). */
export function judgeCrash(
  running: readonly CrashedTurn[],
  before: LifeBefore | undefined,
  hadSuspects: boolean,
): Judgement {
  const isLate = before?.state === "settled";
  const crashes = isLate ? 1 : (before?.crashes ?? 0) + 1;
  const tried = running.filter(({ suspect }) => suspect);
  const blamed = tried.length > 0 ? tried : running.length === 1 ? running : [];
  const suspects =
    hadSuspects || crashes > 2
      ? running
      : running.filter(({ late_crashes, in_call }) =>
          isLate ? late_crashes + 1 >= manyLateCrashes : crashes === 2 && in_call,
        );
  const named = tried.length > 0 ? tried : suspects;
  const half = Math.max(1, Math.floor(named.length / 2));
  const allowed = before?.at_once ?? 1;
  const ordinals = (turns: readonly CrashedTurn[]) => turns.map(({ ordinal }) => ordinal);
  return {
    blamed: ordinals(blamed),
    late: isLate ? ordinals(running) : [],
    suspects: ordinals(suspects),
    atOnce: named.length === 0 ? allowed : hadSuspects ? Math.min(allowed, half) : half,
    crashes,
  };
}

import type { Clock } from "../../src/core/ports/storage.ts";

/** Where a process ends: at this point, and whether what it does there still happens. */
export interface Death {
  /** Counted from 0. */
  point: number;
  when: "before" | "after";
}

/** Does something outside the process. Work that goes on for as long as the process wants it to calls `happened` when it has begun. */
type Work<T> = (happened: () => void) => T | Promise<T>;

/** The life of a process: what it does outside itself, point by point. After its death nothing answers it any more. */
export interface Life {
  /** Names of the points so far. */
  readonly points: readonly string[];
  /** The points before which the world outside changed without a point. */
  readonly changes: readonly number[];
  /** Resolves when it is over. */
  readonly death: Promise<void>;
  isOver(): boolean;
  /** Notes that the world outside has changed without a point. */
  changed(): void;
  /** Does something that outlives the process. */
  act<T>(name: string, work: Work<T>): Promise<T>;
  /** Does something that changes nothing outside. */
  look<T>(work: Work<T>): Promise<T>;
  /** Waits for something that only the passing of time brings about. */
  wait<T>(work: () => Promise<T>): Promise<T>;
  /** How much it has done outside itself so far. */
  done(): number;
  /** Resolves when nothing of it is under way outside, what it did at its death included. */
  idle(): Promise<void>;
}

/** @param death where it ends; without it the process lives on */
export function createLife(death?: Death): Life {
  const points: string[] = [];
  const changes: number[] = [];
  const died = Promise.withResolvers<void>();
  const outside = createOutside();
  let over = false;
  const wait = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (over) return never();
    try {
      const result = await work();
      return over ? await never() : result;
    } catch (error) {
      if (over) return never();
      throw error;
    }
  };
  const look = <T>(work: Work<T>) => wait(() => outside.run(work));
  return {
    points,
    changes,
    death: died.promise,
    isOver: () => over,
    changed: () => void changes.push(points.length),
    look,
    wait,
    act(name, work) {
      const isLast = !over && points.push(name) - 1 === death?.point;
      if (!isLast) return look(work);
      // Nobody is left to whom a failure would matter.
      if (death?.when === "after") outside.run(work).catch(() => {});
      over = true;
      died.resolve();
      return never();
    },
    done: outside.done,
    idle: outside.idle,
  };
}

const never = <T>() => new Promise<T>(() => {});

/** Counts what is under way outside a process. */
function createOutside() {
  let begun = 0;
  let ended = 0;
  let wake = () => {};
  return {
    done: () => ended,
    async run<T>(work: Work<T>): Promise<T> {
      let isCounted = false;
      const happened = () => {
        if (isCounted) return;
        isCounted = true;
        ended += 1;
        if (ended === begun) wake();
      };
      begun += 1;
      try {
        return await work(happened);
      } finally {
        happened();
      }
    },
    async idle(): Promise<void> {
      // Whoever got an answer does the next thing in the same tick.
      const tick = () => new Promise((resolve) => setImmediate(resolve));
      await tick();
      while (ended < begun) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        await tick();
      }
    },
  };
}

/**
 * The same object for a process that may die: calls of `acts` are points of its life, all other calls look. What has no promise for
 * an answer is passed on.
 *
 * @param nameOf tells more about a call than its name
 */
export function mortal<T extends object>(
  life: Life,
  kind: string,
  target: T,
  acts: readonly (keyof T & string)[],
  nameOf: (method: string, given: readonly unknown[]) => string = () => "",
): T {
  return new Proxy(target, {
    get(_, method) {
      const member: unknown = Reflect.get(target, method, target);
      if (typeof member !== "function" || typeof method !== "string") return member;
      const isAct = acts.some((act) => act === method);
      return (...given: unknown[]) => {
        const work = () => Reflect.apply(member, target, given);
        if (isAct) return life.act(`${kind}.${method} ${nameOf(method, given)}`.trim(), work);
        return synchronous.has(method) ? work() : life.look(work);
      };
    },
  });
}

/** Methods of ports that answer at once. */
const synchronous: ReadonlySet<string> = new Set(["isUnseen"]);

/** Time as a process has it: it wakes no dead. */
export function mortalClock(life: Life, clock: Clock): Clock {
  return {
    now: clock.now,
    after: (ms, callback) => clock.after(ms, () => (life.isOver() ? undefined : callback())),
    sleep: (ms, signal) => life.wait(() => clock.sleep(ms, signal)),
  };
}

import type { Clock } from "../../src/core/ports/storage.ts";

/** Where a process ends: at this point, and whether what it does there still happens. */
export interface Death {
  /** Counted from 0. */
  point: number;
  when: "before" | "after";
}

/** The life of a process: what it does outside itself, point by point. After its death nothing answers it any more. */
export interface Life {
  /** Names of the points so far. */
  readonly points: readonly string[];
  /** The points before which the world outside changed without a point. */
  readonly changes: readonly number[];
  isOver(): boolean;
  /** Notes that the world outside has changed without a point. */
  changed(): void;
  /** Does something that outlives the process. */
  act<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** Does something that changes nothing outside. */
  look<T>(work: () => T | Promise<T>): Promise<T>;
}

/** @param death where it ends; without it the process lives on */
export function createLife(death?: Death): Life {
  const points: string[] = [];
  const changes: number[] = [];
  let over = false;
  const never = <T>() => new Promise<T>(() => {});
  const look = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (over) return never();
    try {
      const result = await work();
      return over ? await never() : result;
    } catch (error) {
      if (over) return never();
      throw error;
    }
  };
  return {
    points,
    changes,
    isOver: () => over,
    changed: () => void changes.push(points.length),
    look,
    act(name, work) {
      const isLast = !over && points.push(name) - 1 === death?.point;
      if (!isLast) return look(work);
      if (death?.when === "after") void work();
      over = true;
      return never();
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
    sleep: (ms, signal) => life.look(() => clock.sleep(ms, signal)),
  };
}

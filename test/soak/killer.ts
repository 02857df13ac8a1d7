import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet, Member } from "./fleet.ts";
import type { SoakStore } from "./store.ts";

/** How often each kind of fault happens. */
export interface Faults {
  /** A process is killed and starts again. */
  kills: number;
  /** A worker stands still for a while and does not know it. */
  pauses: number;
  /** A process loses its connections to the database, all or some. */
  cuts: number;
  /** The database restarts. */
  restarts: number;
}

export interface KillerOptions {
  fleet: Fleet;
  store: SoakStore;
  faults: Faults;
  /** How long a pause takes, ms. */
  pauseMs: number;
  /** Which part of the work is done, from 0 to 1. */
  progress(): number;
  /** Ends it before all faults are done. */
  signal: AbortSignal;
}

/** Of so many kills, one hits a process that has not said yet that it is ready. */
const early = 6;

/** A fault comes after this time even if the work makes no progress, ms. */
const patienceMs = 20_000;

/**
 * Minimum life of a process from when it is ready until it is killed, ms. A bot that is killed sooner time after time is in a crash loop, in
 * which it gives turns up, as it should.
 */
const leastLifeMs = 2_000;

/** Maximum random delay of a fault that is due, ms. */
const maxDelayMs = 1_000;

interface Fault {
  kind: keyof Faults;
  /** What it counts as. */
  count: number;
  hits(member: Member): boolean;
  happen(member: Member): Promise<void>;
}

/**
 * Makes everything go wrong while the bot works: evenly over the work, in any order, one fault of a process at a time. Restarts of the
 * database come in the middle. Returns how often each happened.
 */
export async function killAgainAndAgain(options: KillerOptions): Promise<Faults> {
  const { fleet, progress, signal } = options;
  const done: Faults = { kills: 0, pauses: 0, cuts: 0, restarts: 0 };
  const plan = planned(options);
  const hit = new Map<Member, Promise<void>>();
  const isOver = () => progress() >= 1 || signal.aborted;
  for (const [at, fault] of plan.entries()) {
    const giveUp = performance.now() + patienceMs;
    const isDue = () => progress() >= (0.95 * at) / plan.length || performance.now() >= giveUp;
    while (!isDue() && !signal.aborted) await sleep(50);
    await sleep(Math.random() * maxDelayMs);
    const victims = fleet.members.filter(fault.hits);
    while (victims.every((member) => hit.has(member))) await Promise.race(hit.values());
    if (isOver()) break;
    const [victim] = shuffled(victims.filter((member) => !hit.has(member)));
    if (victim === undefined) continue;
    const happening = fault.happen(victim).then(() => void hit.delete(victim));
    // A process that does not start again is found at the next look.
    happening.catch(() => {});
    hit.set(victim, happening);
    done[fault.kind] += fault.count;
  }
  await Promise.all(hit.values());
  return done;
}

function planned({ faults, store, pauseMs }: KillerOptions): Fault[] {
  const everybody = () => true;
  const twice = Math.floor(faults.kills / early);
  const faultsOfProcesses = [
    ...repeated(faults.kills - 2 * twice, {
      kind: "kills",
      count: 1,
      hits: everybody,
      async happen(member) {
        await member.kill();
        await member.start();
        await sleep(leastLifeMs);
      },
    }),
    ...repeated(twice, {
      kind: "kills",
      count: 2,
      hits: everybody,
      async happen(member) {
        await member.kill();
        await member.startInVain();
        await member.start();
        await sleep(leastLifeMs);
      },
    }),
    ...repeated(faults.pauses, {
      kind: "pauses",
      count: 1,
      hits: ({ role }) => role === "worker",
      async happen(member) {
        member.signal("SIGSTOP");
        await sleep(pauseMs);
        member.signal("SIGCONT");
      },
    }),
    ...repeated(faults.cuts, {
      kind: "cuts",
      count: 1,
      hits: everybody,
      happen: ({ name }) => store.cut(name),
    }),
  ];
  const restarts = repeated(faults.restarts, {
    kind: "restarts",
    count: 1,
    hits: everybody,
    happen: () => store.restart(),
  });
  return shuffled(faultsOfProcesses).toSpliced(faultsOfProcesses.length / 2, 0, ...restarts);
}

function repeated(count: number, fault: Fault): Fault[] {
  return Array.from({ length: count }, () => fault);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

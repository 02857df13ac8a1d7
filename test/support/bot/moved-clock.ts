import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * A wall clock that a test moves: of all processes that are started with `env`, and of the test's own, where the fakes
 * live. Waits and leases keep their own time.
 */
export interface MovedClock {
  env: Record<string, string>;
  /** The current time, ms since the epoch. */
  now(): number;
  /** Sets the time, ms since the epoch; the clock continues from there. */
  set(time: number): Promise<void>;
  /** Moves it forward. */
  pass(ms: number): Promise<void>;
  remove(): Promise<void>;
}

const script = pathToFileURL(join(import.meta.dirname, "moved-clock.mjs")).href;

/** The environment of a process whose clock is wrong by these ms. */
export function wrongClock(offsetMs: number): Record<string, string> {
  return { MOVED_BY: String(offsetMs), NODE_OPTIONS: `--import ${script}` };
}

const RealDate = Date;

export async function createMovedClock(): Promise<MovedClock> {
  const folder = await mkdtemp(join(tmpdir(), "moved-clock-"));
  const file = join(folder, "offset");
  let offset = 0;
  const move = async (to: number) => {
    offset = to;
    // Atomically, so that no process reads a partial value.
    await writeFile(`${file}.new`, String(offset));
    await rename(`${file}.new`, file);
  };
  process.env.MOVED_CLOCK = file;
  globalThis.Date = (await import("./moved-clock.mjs")).MovedDate;
  return {
    env: { MOVED_CLOCK: file, NODE_OPTIONS: `--import ${script}` },
    now: () => RealDate.now() + offset,
    set: (time) => move(time - RealDate.now()),
    pass: (ms) => move(offset + ms),
    async remove() {
      globalThis.Date = RealDate;
      delete process.env.MOVED_CLOCK;
      await rm(folder, { recursive: true });
    },
  };
}

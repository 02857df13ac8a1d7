import { spawnSync } from "node:child_process";

/** Programs that some tests need and a fresh clone does not have to have: how to see that they work, and their package. */
const programs = {
  bubblewrap: { probe: ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], package: "bubblewrap" },
  chromium: { probe: ["chromium", "--version"], package: "chromium" },
  git: { probe: ["git", "--version"], package: "git" },
  python3: { probe: ["python3", "--version"], package: "python3" },
  strace: { probe: ["strace", "-V"], package: "strace" },
} as const;

export type Need = keyof typeof programs;

declare module "vitest" {
  interface TaskMeta {
    /** What a test cannot run without. */
    needs?: Need;
  }
}

const known = new Map<Need, boolean>();

/**
 * Options of a `describe` or `it` that cannot pass without a program: skipped where it does not work, and counted at the end
 * (`needs-reporter.ts`). CI installs all of them and fails on any such skip.
 */
export function needs(need: Need): { skip: boolean; meta: { needs: Need } } {
  const works = known.get(need) ?? isThere(programs[need].probe);
  known.set(need, works);
  return { skip: !works, meta: { needs: need } };
}

/** The name of the package that brings it, the same on the usual systems. */
export function packageOf(need: Need): string {
  return programs[need].package;
}

function isThere([program, ...args]: readonly string[]): boolean {
  return spawnSync(program ?? "", args, { stdio: "ignore", timeout: 10_000 }).status === 0;
}

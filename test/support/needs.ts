import { spawnSync } from "node:child_process";

/** Runs where the sandbox looks for programs: a tester's own Python or npm is not in there. */
const inSystem = ["env", "PATH=/usr/local/bin:/usr/bin:/bin"] as const;
const pythonModule = (name: string) =>
  [
    ...inSystem,
    "python3",
    "-c",
    `import sys, importlib.util; sys.exit(not importlib.util.find_spec("${name}"))`,
  ] as const;

/** A shell command that prints where PostgreSQL's `initdb` is; Debian does not put it on the PATH. */
export const findInitdb = "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb";

/** Programs that some tests need and a fresh clone does not have to have: a command that works where they do. */
const programs = {
  bubblewrap: ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
  curl: [...inSystem, "curl", "--version"],
  git: ["git", "--version"],
  npm: [...inSystem, "npm", "--version"],
  pgbouncer: ["sh", "-c", "command -v pgbouncer || ls /usr/sbin/pgbouncer"],
  postgresql: ["sh", "-c", findInitdb],
  openssl: ["openssl", "version"],
  python3: ["python3", "--version"],
  "python3-aiohttp": pythonModule("aiohttp"),
  "python3-httpx": pythonModule("httpx"),
  "python3-pip": pythonModule("pip"),
  "python3-requests": pythonModule("requests"),
  "python3-websockets": pythonModule("websockets"),
  wget: [...inSystem, "wget", "--version"],
} as const;

/** The name of the program's package, too, on the usual systems. */
export type Need = keyof typeof programs;

declare module "vitest" {
  interface TaskMeta {
    /** A program the test needs; of several, one that is missing. */
    needs?: Need;
  }
}

const known = new Map<Need, boolean>();

/**
 * Options of a `describe` or `it` that cannot pass without some programs: skipped where one does not work, and counted at the end
 * (`needs-reporter.ts`). CI installs all of them and fails on any such skip.
 */
export function needs(first: Need, ...others: Need[]): { skip: boolean; meta: { needs: Need } } {
  const missing = [first, ...others].find((need) => !isThere(need));
  return { skip: missing !== undefined, meta: { needs: missing ?? first } };
}

function isThere(need: Need): boolean {
  const [program, ...args] = programs[need];
  const works =
    known.get(need) ?? spawnSync(program, args, { stdio: "ignore", timeout: 10_000 }).status === 0;
  known.set(need, works);
  return works;
}

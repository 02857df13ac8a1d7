/**
 * `npm start` and `npm test` on fresh clones, in every order, on a machine whose Node is too old and on one whose Node fits. Each machine
 * is a PATH with a Node of `nodes/package-lock.json`, this machine's npm and a shell. Of the tests a small part runs. One clone of each
 * machine builds the bot; the others get this repository's build, which is used only if it is of the same sources. Needs npm's registry.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { programToRun } from "./build.ts";

const root = resolve(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "knack-clones-"));
const running = new Set<ChildProcess>();
const removals: Promise<void>[] = [];
const minutes = 60_000;

beforeAll(async () => {
  await programToRun(root);
  cpSync(join(import.meta.dirname, "nodes"), home, { recursive: true });
  const fetching = ["ci", "--ignore-scripts", "--no-bin-links", "--prefer-offline", "--loglevel=error"];
  execFileSync("npm", fetching, { cwd: home });
}, 5 * minutes);
afterAll(async () => {
  for (const child of running) kill(child, "SIGKILL");
  await Promise.all(removals);
  rmSync(home, { recursive: true, force: true });
}, 10 * minutes);

/**
 * A clone without installed packages, with a build or without, and npm in it with the PATH of one machine. Its removal is slow and runs in
 * parallel with the next tests.
 */
function cloneOn(
  machine: string,
  onTestFinished: TestContext["onTestFinished"],
  { isBuilt }: { isBuilt: boolean },
) {
  const folder = mkdtempSync(join(home, `${machine}-`));
  onTestFinished(() => {
    removals.push(rm(folder, { recursive: true }).catch(() => undefined));
  });
  const clone = join(folder, "knack");
  execFileSync("git", ["clone", "--quiet", root, clone]);
  if (isBuilt) cpSync(join(root, ".build"), join(clone, ".build"), { recursive: true });
  const programs = join(folder, "bin");
  mkdirSync(programs);
  for (const [name, file] of [
    ["node", join(home, "node_modules", machine, "bin/node")],
    ["npm", whereIs("npm")],
    ["sh", whereIs("sh")],
  ] as const)
    symlinkSync(file, join(programs, name));
  const ofMachine = /^(HOME|NODE_EXTRA_CA_CERTS|npm_config_(cache|cafile|registry)|\w+_proxy)$/i;
  const base = Object.fromEntries(Object.entries(process.env).filter(([name]) => ofMachine.test(name)));

  /** Starts npm as the leader of a group, as a shell does. */
  const npm = (argv: readonly string[], env: Record<string, string> = {}) => {
    const child = spawn("npm", argv, {
      cwd: clone,
      detached: true,
      env: { ...base, PATH: programs, KNACK_DATA: join(folder, "data"), NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const output = Promise.all([text(child.stdout), text(child.stderr)]).then((parts) => parts.join(""));
    const ended = once(child, "close").then(async ([code]) => {
      running.delete(child);
      return { code: code as number | null, output: await output };
    });
    return { child, ended };
  };

  return {
    clone,
    modules: join(clone, "node_modules"),
    npm,
    /** Runs `npm test` with a small part of the tests. */
    async test() {
      const { code, output } = await npm(["test", "--", "test/unit/base/record.test.ts"]).ended;
      expect(output).toMatch(/Tests {2}\d+ passed \(\d+\)/);
      expect(code, output).toBe(0);
    },
    /** Runs `npm start` until the bot answers, does something while it runs, and ends it. */
    async start(meanwhile = async (): Promise<void> => {}) {
      const { child, ended } = npm(["start", "--", "--port", "0"]);
      const url = await Promise.race([readyAt(child), ended.then(({ output }) => output)]);
      expect(url).toMatch(/^http:\S+$/);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await meanwhile();
      kill(child, "SIGTERM");
      expect((await ended).code).toBe(0);
    },
    /** Leftovers of an installation that are not packages. */
    leftovers: () =>
      readdirSync(join(clone, "node_modules")).filter((name) => name.startsWith(".installing")),
  };
}

async function readyAt(child: ChildProcess): Promise<string> {
  let said = "";
  for (;;) {
    const [part] = await once(child.stdout as NodeJS.EventEmitter, "data");
    said += part;
    const url = /is ready: (\S+)\n/.exec(said)?.[1];
    if (url !== undefined) return url;
  }
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && running.has(child)) process.kill(-child.pid, signal);
}

function whereIs(program: string): string {
  return realpathSync(execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim());
}

describe.concurrent.each([
  { machine: "node-20", brings: true },
  { machine: "node-24", brings: false },
])("a fresh clone on $machine", { timeout: 15 * minutes }, ({ machine, brings }) => {
  it("a fresh clone starts, then tests, then holds its data folder against another clone", async ({
    onTestFinished,
  }) => {
    const { modules, start, test, leftovers, clone } = cloneOn(machine, onTestFinished, { isBuilt: false });
    await start();
    expect(existsSync(join(modules, ".bin/node")), "whether it brought a Node").toBe(brings);
    expect(existsSync(join(modules, ".bin/vitest"))).toBe(false);
    await test();
    expect(existsSync(join(modules, ".bin/node"))).toBe(brings);
    expect(leftovers()).toEqual([]);

    const other = cloneOn(machine, onTestFinished, { isBuilt: true });
    symlinkSync(modules, other.modules);
    await start(async () => {
      const refused = await other.npm(["start"], { KNACK_DATA: join(clone, "../data") }).ended;
      expect(refused.code).toBe(1);
      expect(refused.output).toContain("already runs on");
    });
  });

  it("a fresh clone tests after an install that was interrupted, then starts, then tests", async ({
    onTestFinished,
  }) => {
    const { modules, npm, start, test, leftovers } = cloneOn(machine, onTestFinished, { isBuilt: true });
    const { child, ended } = npm(["test"]);
    const arrived = () =>
      leftovers().flatMap((name) => {
        const packages = join(modules, name, "node_modules");
        return existsSync(packages) ? readdirSync(packages) : [];
      }).length;
    await expect.poll(() => existsSync(modules) && arrived(), { timeout: 5 * minutes }).toBeGreaterThan(20);
    kill(child, "SIGINT");
    expect((await ended).code).not.toBe(0);
    expect(existsSync(join(modules, ".package-lock.json"))).toBe(false);
    await test();
    expect(leftovers()).toEqual([]);
    await start();
    await test();
    expect(existsSync(join(modules, ".bin/node"))).toBe(brings);
  });

  it("a fresh clone says so when the registry cannot be reached, and when node_modules is a link to somewhere empty", async ({
    onTestFinished,
  }) => {
    const { clone, modules, npm } = cloneOn(machine, onTestFinished, { isBuilt: false });
    const alone = await npm(["start"], {
      npm_config_registry: "http://127.0.0.1:9",
      npm_config_fetch_retries: "0",
      npm_config_cache: join(clone, "../cache"),
    }).ended;
    expect(alone.code).toBe(1);
    expect(alone.output).toContain("npm did not install what Knack needs");
    expect(readdirSync(modules)).toEqual([]);

    const elsewhere = join(clone, "../elsewhere");
    mkdirSync(elsewhere);
    rmSync(modules, { recursive: true });
    symlinkSync(elsewhere, modules);
    const linked = await npm(["test"]).ended;
    expect(linked.code).toBe(1);
    expect(linked.output).toContain("node_modules is a link to a folder that lacks");
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

it("the lock file has an address and a hash for every package, and none has to run a script [package-7]", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { resolved?: string; integrity?: string; hasInstallScript?: boolean }>;
  };
  const { "": _, ...named } = packages;
  const loose = Object.entries(named).filter(
    ([, { resolved, integrity }]) =>
      !resolved?.startsWith("https://registry.npmjs.org/") || !integrity?.startsWith("sha512-"),
  );
  expect(loose.map(([path]) => path)).toEqual([]);
  const scripts = Object.keys(named).filter((path) => named[path]?.hasInstallScript);
  expect(scripts).toEqual([]);
});

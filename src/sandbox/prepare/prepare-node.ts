import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { coversHost } from "../../core/skill/network-grants.ts";
import { BuildRefusal, readReport } from "../build-folder.ts";
import { findProgram, systemFolders } from "../run/programs.ts";
import type { AskedPackage } from "./package-names.ts";
import { type Installed, inOrder, type PinnedPackage, type Pins } from "./prepare-python.ts";
import {
  hostsOf,
  type InstallerContext,
  type InstallerRun,
  inBuild,
  missingProgram,
  runInstaller,
} from "./run-installer.ts";

/** https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json, as far as it is used here. */
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
});
type Lock = z.output<typeof lockFile>;

/** `--ignore-scripts`: nothing of a package runs when it is installed. */
const common = [
  ...["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--omit=dev"],
  ...[
    "--loglevel=http",
    "--fetch-timeout=20000",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    `--cache=${inBuild("cache")}`,
    "--noproxy=",
  ],
];

/**
 * Installs packages of npm into a folder. First npm resolves the versions, and the lock that it wrote is checked; then, in a new sandbox
 * without anything from the first, exactly these files are installed by their hashes.
 * @throws BuildRefusal
 */
export async function prepareNode(
  asked: readonly AskedPackage[],
  pins: Pins,
  build: string,
  context: InstallerContext,
): Promise<Installed> {
  const npm = await findNpm();
  if (npm === undefined) throw await missingProgram("npm", "npm");
  const dependencies = Object.fromEntries(asked.map(({ name, spec }) => [name, spec]));
  const manifest = JSON.stringify({ name: "prepared", version: "0.0.0", private: true, dependencies });
  const before = pins.before && without(readLock(pins.before.lock), pins.renewed);
  const resolving = join(build, "resolve");
  const own: Record<string, string> =
    before === undefined ? {} : { "package-lock.json": JSON.stringify(before) };
  const first = { folder: resolving, files: { "package.json": manifest, ...own } };
  await runNpm(npm, ["install", "--package-lock-only"], first, context);
  const written = (await readReport(join(resolving, "package-lock.json"))) ?? "";
  const found = readLock(written);
  const packages = inOrder(checked(found, before, context), asked);
  const folder = join(build, "install");
  const files = { "package.json": manifest, "package-lock.json": written };
  await runNpm(npm, ["ci"], { folder, files }, context);
  return { folder: join(folder, "node_modules"), packages, lock: written };
}

async function runNpm(
  npm: string,
  args: readonly string[],
  { folder, files }: Pick<InstallerRun, "folder" | "files">,
  context: InstallerContext,
): Promise<void> {
  const { npmRegistry: address } = context.sources;
  const run = {
    code: {
      ...placeOf(npm),
      // The operator's own certificates may be among the machine's.
      interpreter: ["node", "--use-system-ca"],
      args: [...args, ...common],
      env: {
        npm_config_registry: address,
        ...(npm.startsWith(debianModules) ? { NODE_PATH: debianModules } : {}),
      },
    },
    address,
    folder,
    files,
  };
  await runInstaller(run, context, explain);
}

/** Code sees the npm of the machine at its usual path; another one is mounted like a skill's folder. */
function placeOf(npm: string) {
  const program = "bin/npm-cli.js";
  if (!systemFolders.some((folder) => npm.startsWith(`${folder}/`)))
    return { folder: npm, entry: { script: program } };
  return { entry: { name: "npm.cjs", text: `require(${JSON.stringify(join(npm, program))});\n` } };
}

/** Debian's npm finds its modules there. */
const debianModules = "/usr/share/nodejs";

/** The folder of npm: that of the Node the bot runs on, or the machine's. */
async function findNpm(): Promise<string | undefined> {
  const besideNode = join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  const program = await findProgram("npm");
  for (const path of [besideNode, ...(program === undefined ? [] : [program])]) {
    const real = await realpath(path).catch(() => undefined);
    if (real?.endsWith("/bin/npm-cli.js")) return dirname(dirname(real));
  }
  return undefined;
}

function explain(printed: string): string | undefined {
  const errors = [...printed.matchAll(/^npm (?:error|ERR!) (.*)$/gm)]
    .map(([, text = ""]) => text.trim())
    .filter((text) => text !== "" && !/complete log|^A complete|debug-0\.log/.test(text));
  const code = /^code (\S+)/.exec(errors[0] ?? "")?.[1];
  const said = errors
    .filter((text) => !/^(code|errno|syscall) /.test(text))
    .slice(0, 6)
    .join(" ")
    .slice(0, 800);
  if (code === "EINTEGRITY")
    return `The registry now has another file than the one pinned by its hash. Nothing was installed. Find out why it changed; to take the new one, remove the package and add it again. npm says: ${said}`;
  if (code === "ERESOLVE") return `Their versions conflict: ${said}`;
  return errors.length === 0 ? undefined : `npm failed: ${said}`;
}

function readLock(text: string): Lock {
  try {
    return lockFile.parse(JSON.parse(text));
  } catch {
    throw new BuildRefusal("npm wrote no lock file.");
  }
}

/** A lock in which the given packages may change their version. */
function without(lock: Lock, names: readonly string[]): Lock {
  const kept = Object.entries(lock.packages).filter(
    ([path]) => path !== "" && !names.some((name) => path === `node_modules/${name}`),
  );
  return { ...lock, packages: Object.fromEntries(kept) };
}

/** The packages that npm would install, if all of them are files of the registry and pinned ones are unchanged. @throws BuildRefusal */
function checked(found: Lock, before: Lock | undefined, { sources }: InstallerContext): PinnedPackage[] {
  const hosts = [...hostsOf(sources.npmRegistry), ...sources.hosts];
  const pins = new Map(
    Object.entries(before?.packages ?? {}).map(([path, { version, integrity }]) => [
      `${nameOf(path)}@${version}`,
      integrity,
    ]),
  );
  return Object.entries(found.packages).flatMap(
    ([path, { version, resolved, integrity, link, inBundle }]) => {
      if (path === "" || inBundle === true) return [];
      const name = nameOf(path);
      const url = URL.parse(resolved ?? "");
      const isOfRegistry =
        url !== null &&
        /^https?:$/.test(url.protocol) &&
        hostsOf(url.href).some((host) => coversHost(hosts, host));
      if (link === true || !path.startsWith("node_modules/") || !isOfRegistry)
        throw new BuildRefusal(
          `${name} is not from the registry (${(resolved ?? path).slice(0, 200)}). It was not installed.`,
        );
      if (version === undefined || integrity === undefined || !/\bsha(?:512|384|256)-/.test(integrity))
        throw new BuildRefusal(`The registry has no hash for ${name}. It was not installed.`);
      const pinned = pins.get(`${name}@${version}`);
      if (pinned !== undefined && pinned !== integrity)
        throw new BuildRefusal(
          `The registry now has another file for ${name} ${version} than the one pinned by its hash. Nothing was installed.`,
        );
      return [{ name, version, hashes: [integrity] }];
    },
  );
}

function nameOf(path: string): string {
  const at = path.lastIndexOf("node_modules/");
  return at < 0 ? path : path.slice(at + "node_modules/".length);
}

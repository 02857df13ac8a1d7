import { join } from "node:path";
import { z } from "zod";
import { parsedJson } from "../../base/json-reader.ts";
import { BuildRefusal, readReport } from "../build-folder.ts";
import { findProgram } from "../run/programs.ts";
import { type AskedPackage, pythonName } from "./package-names.ts";
import type { StoredSet } from "./prepared-sets.ts";
import {
  type InstallerContext,
  type InstallerRun,
  inBuild,
  missingProgram,
  runInstaller,
  withTemp,
} from "./run-installer.ts";

/** A package to install, and its allowed files. */
export type PinnedPackage = StoredSet["packages"][number];

/** The installed packages, whose versions stay, except those of `renewed`. */
export interface Pins {
  before: StoredSet | undefined;
  renewed: readonly string[];
}

/** The result of an installer: a folder within the build. */
export interface Installed {
  folder: string;
  packages: PinnedPackage[];
  lock: string;
}

/** https://pip.pypa.io/en/stable/reference/installation-report/ */
const report = z.object({
  install: z.array(
    z.object({
      is_direct: z.boolean(),
      metadata: z.object({ name: z.string(), version: z.string() }),
      download_info: z.object({
        url: z.string(),
        archive_info: z
          .object({
            hash: z.string().optional(),
            hashes: z.object({ sha256: z.string().optional() }).optional(),
          })
          .optional(),
      }),
    }),
  ),
});

const logFile = "pip.log";

const common = [
  ...["--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--no-cache-dir"],
  ...["--no-color", "--progress-bar=off", "--timeout=20", "--retries=2"],
];

/**
 * Installs wheels into a folder. First pip resolves the versions, and its choice is checked; then, in a new sandbox without anything from
 * the first, exactly these files are installed by their hashes. A wheel that depends on an address can make pip build a source distribution
 * before the check refuses it: that code reaches the registry's hosts, and nothing of it is kept.
 * @throws BuildRefusal
 */
export async function preparePython(
  asked: readonly AskedPackage[],
  { before, renewed }: Pins,
  build: string,
  context: InstallerContext,
): Promise<Installed> {
  const pinned = (before?.packages ?? []).filter(({ name }) => !renewed.includes(name));
  const python = await findProgram("python3");
  if (python === undefined) throw await missingProgram("Python (python3)", "python3");
  const found = await resolve(python, { asked, pinned, folder: join(build, "resolve") }, context);
  const packages = inOrder(checked(found, asked, pinned), asked);
  const lock = lockOf(packages);
  const folder = join(build, "install");
  const args = ["install", "--require-hashes", "--no-deps", "--target", inBuild("site"), ...common];
  await runPip(python, args, { folder, files: {} }, lock, context);
  return { folder: join(folder, "site"), packages, lock };
}

async function resolve(
  python: string,
  given: { asked: readonly AskedPackage[]; pinned: readonly PinnedPackage[]; folder: string },
  context: InstallerContext,
): Promise<z.output<typeof report>["install"]> {
  const { asked, pinned, folder } = given;
  const constraints = pinned.map(({ name, version }) => `${name}==${version}\n`).join("");
  const args = [
    ...["install", "--dry-run", "--ignore-installed", "--report", inBuild("report.json")],
    ...["--log", inBuild(logFile), "--constraint", inBuild("constraints.txt"), ...common],
  ];
  const requirements = asked.map(({ spec }) => `${spec}\n`).join("");
  await runPip(python, args, { folder, files: { "constraints.txt": constraints } }, requirements, context);
  const parsed = report.safeParse(parsedJson((await readReport(join(folder, "report.json"))) ?? ""));
  if (!parsed.success)
    throw new BuildRefusal("pip wrote no report of what it found. Is it pip 22.2 or newer?");
  return parsed.data.install;
}

async function runPip(
  python: string,
  args: readonly string[],
  { folder, files }: Pick<InstallerRun, "folder" | "files">,
  requirements: string,
  context: InstallerContext,
): Promise<void> {
  const { pythonIndex: address } = context.sources;
  const { protocol, host } = new URL(address);
  const run = {
    code: {
      // The command comes last: for `-r` it is the file to read.
      interpreter: [...(await withTemp()), python, "-m", "pip", ...args, "-r"],
      entry: { name: "requirements.txt", text: requirements },
      args: [],
      // The address may contain a password, and every user of the machine can read arguments.
      env: { PIP_INDEX_URL: address, ...(protocol === "http:" ? { PIP_TRUSTED_HOST: host } : {}) },
    },
    address,
    folder,
    files,
  };
  try {
    await runInstaller(run, context, explain);
  } catch (error) {
    if (!(error instanceof BuildRefusal)) throw error;
    if (error.message === noPip) throw await missingProgram("pip", "python3-pip");
    const log = await readReport(join(folder, logFile)).catch(() => undefined);
    const sources = error.message.startsWith(noMatchPrefix) ? sourcesOnly(log ?? "") : undefined;
    throw sources === undefined ? error : new BuildRefusal(sources);
  }
}

const noPip = "pip is not installed.";
const noMatchPrefix = "No version fits: ";

/** The meaning of pip's messages. */
function explain(printed: string): string | undefined {
  if (/No module named pip\b/.test(printed)) return noPip;
  const errors = [...printed.matchAll(/^ERROR: (.+)$/gm)].map(([, text = ""]) => text.trim());
  if (/THESE PACKAGES DO NOT MATCH THE HASHES/.test(printed)) {
    const [, name = "a package"] = /^ {4}(\S+) from /m.exec(printed) ?? [];
    return `The file of ${name} that the index served does not match its hash. Nothing was installed.`;
  }
  const unreached =
    /^WARNING: Retrying \(.*?'([A-Za-z]*(?:Error|Timeout)[^\n]{0,300})/m.exec(printed)?.[1] ??
    /((?:Read|Connect)Timeout\w*[^\n]{0,200})/.exec(printed)?.[1];
  if (unreached !== undefined) return `The index could not be reached: ${unreached}`;
  const missing = errors.findLast((text) => /^No matching distribution found for /.test(text));
  if (missing !== undefined)
    return `${noMatchPrefix}${missing}. Is the name right, and does it have a wheel for this Python and machine?`;
  if (/metadata-generation-failed|generating package metadata|build dependencies|egg_info/.test(printed))
    return `One of them needs a package that would have to be built. Only wheels are installed, because building runs code. ${errors.join(" ").slice(0, 400)}`;
  if (/ResolutionImpossible|conflicting dependencies/.test(printed)) {
    const conflict = /The conflict is caused by:\n([\s\S]*?)\n\n/.exec(printed)?.[1] ?? errors.join(" ");
    return `Their versions conflict: ${conflict.replace(/\s+/g, " ").trim().slice(0, 600)}. Installed packages keep their version unless they are named too.`;
  }
  return errors.length === 0 ? undefined : `pip failed: ${errors.join(" ").slice(0, 800)}`;
}

/** Packages that the index has only as sources, from pip's log. */
function sourcesOnly(log: string): string | undefined {
  const names = new Set(
    [...log.matchAll(/No sources permitted for ([A-Za-z0-9._-]{1,100})/g)].map(([, name = ""]) => name),
  );
  if (names.size === 0) return undefined;
  const list = [...names].slice(0, 10).join(", ");
  return `${list}: the index has no wheel for this Python and machine, only source distributions. Those are not installed, because building one runs its code. Choose a version that has a wheel.`;
}

type Found = z.output<typeof report>["install"][number];

/** The packages that pip would install, if all of them are wheels of the index and pinned ones are unchanged. @throws BuildRefusal */
function checked(
  found: readonly Found[],
  asked: readonly AskedPackage[],
  pinned: readonly PinnedPackage[],
): PinnedPackage[] {
  return found.map((each) => {
    const { name, version, sha256 } = wheelOf(each);
    const hash = `sha256:${sha256}`;
    const known = pinned.find((other) => other.name === name && other.version === version)?.hashes;
    const own = asked.filter((other) => other.name === name).flatMap(({ hashes }) => hashes);
    const isAnother = known !== undefined && !known.includes(hash);
    if (isAnother || (own.length > 0 && !own.includes(sha256)))
      throw new BuildRefusal(anotherFile(`${name} ${version}`));
    return { name, version, hashes: [hash] };
  });
}

/** @throws BuildRefusal when it is not a wheel of the index */
function wheelOf({ is_direct, metadata, download_info: { url, archive_info } }: Found) {
  const name = pythonName(metadata.name);
  const { version } = metadata;
  if (!/^[a-z0-9-]+$/.test(name) || !/^[A-Za-z0-9.+!_-]+$/.test(version))
    throw new BuildRefusal("The index returned a package with a malformed name or version.");
  const isWheel = /^https?:/.test(url) && URL.parse(url)?.pathname.endsWith(".whl");
  if (is_direct || !isWheel)
    throw new BuildRefusal(
      `${name} ${version} is not available as a wheel from the index. It was not installed.`,
    );
  const sha256 = archive_info?.hashes?.sha256 ?? /^sha256=(.+)$/.exec(archive_info?.hash ?? "")?.[1];
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256))
    throw new BuildRefusal(`The index has no sha256 for ${name} ${version}. It was not installed.`);
  return { name, version, sha256 };
}

function anotherFile(what: string): string {
  return `The index now has another file for ${what} than the one pinned by its hash. Nothing was installed. Find out why it changed; to take the new one, remove the package and add it again.`;
}

/** Requested packages come first. */
export function inOrder(packages: readonly PinnedPackage[], asked: readonly AskedPackage[]): PinnedPackage[] {
  const names = asked.map(({ name }) => name);
  const place = ({ name }: PinnedPackage) => (names.includes(name) ? names.indexOf(name) : names.length);
  return packages.toSorted((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}

function lockOf(packages: readonly PinnedPackage[]): string {
  return packages
    .map(
      ({ name, version, hashes }) =>
        `${name}==${version} ${hashes.map((hash) => `--hash=${hash}`).join(" ")}\n`,
    )
    .join("");
}

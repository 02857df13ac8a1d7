import { hash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { sharedRun } from "../../base/shared-run.ts";
import { type PackageLanguage, packageLanguages } from "../../core/skill/packages.ts";

/** What is stored about a set in addition to its files. */
const manifest = z.object({
  language: z.enum(packageLanguages),
  /** For a skill's own set: the skill's id, and the hash of its list of packages. */
  skill: z.object({ id: z.string(), listed: z.string() }).optional(),
  asked: z.array(z.string()),
  /** Requested packages first. `hashes`: of the installed files, `sha256:…` or npm's `sha512-…`. */
  packages: z.array(
    z.object({ name: z.string(), version: z.string(), hashes: z.array(z.string()).readonly() }),
  ),
  /** `3.11` of Python, `24` of Node. */
  runtime: z.string(),
  prepared_at: z.number(),
  by: z.string(),
  bytes: z.number(),
});
export type SetManifest = z.output<typeof manifest>;

export interface StoredSet extends SetManifest {
  /** The folder that code sees. */
  folder: string;
  /** The lock in the format of the installer: requirements with hashes, or a package-lock.json. */
  lock: string;
}

/** Identifies a set: the general one of a language, or that of a skill. */
export interface SetName {
  language: PackageLanguage;
  skill?: string | undefined;
}

const manifestFile = "set.json";
const packagesFolder = "packages";
const lockFiles: Readonly<Record<PackageLanguage, string>> = {
  python: "requirements.lock",
  node: "package-lock.json",
};

/** Minimum age of what is removed, ms: something may be building or using it, in this process or in another one. */
const keptMs = 24 * 60 * 60_000;

/**
 * The sets of one data folder. Each has a folder with its versions and a file `current` that names one of them; it is replaced atomically,
 * so that a crash leaves the old version or the new one. One caller at a time may swap a set.
 *
 * Replaced versions, and what killed processes left, are removed by the first change or start after a day, whatever uses them then. Every read
 * notices what other processes swapped or removed.
 */
export class PreparedSets {
  readonly #root: string;
  /** By the name of their folder, as of the version that was current. */
  readonly #known = new Map<string, { version: string | undefined; set: StoredSet | undefined }>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Removes replaced versions, and unfinished builds of killed processes, a day later. */
  async clean(): Promise<void> {
    for (const name of await entriesOf(this.#root)) {
      const folder = join(this.#root, name);
      const current = await currentOf(folder);
      for (const entry of await entriesOf(folder)) {
        const path = join(folder, entry);
        if (entry === current || entry === "current" || !(await isOver(path))) continue;
        await rm(path, { recursive: true, force: true });
      }
      // Fails if something is left in it.
      await rmdir(folder).catch(() => undefined);
    }
  }

  /** Another text whenever sets may have changed since the last call. */
  readonly changes = sharedRun(async (): Promise<string> => {
    const names = (await entriesOf(this.#root)).toSorted();
    const versions = await Promise.all(names.map((name) => currentOf(join(this.#root, name))));
    return JSON.stringify([names, versions]);
  });

  /** Undefined when there is none. */
  async get(name: SetName): Promise<StoredSet | undefined> {
    return await this.#read(folderName(name));
  }

  async all(): Promise<StoredSet[]> {
    const found = await Promise.all((await entriesOf(this.#root)).map((name) => this.#read(name)));
    return found.filter((set) => set !== undefined);
  }

  /** A new, empty folder on the same file system, for an unfinished set. */
  async makeBuild(name: SetName): Promise<string> {
    const build = join(this.#root, folderName(name), `build-${randomUUID()}`);
    await mkdir(build, { recursive: true, mode: 0o700 });
    return build;
  }

  /** Makes `packages`, a folder within a build, the files of the set. The old version stays in use until then. */
  async swap(name: SetName, packages: string, set: SetManifest, lock: string): Promise<void> {
    const folder = join(this.#root, folderName(name));
    await this.#leave(name);
    const version = `v-${randomUUID()}`;
    await mkdir(join(folder, version), { mode: 0o700 });
    await rename(packages, join(folder, version, packagesFolder));
    await writeFile(join(folder, version, lockFiles[set.language]), lock, { mode: 0o600 });
    await writeDurably(join(folder, version, manifestFile), JSON.stringify(set, undefined, 2));
    await writeDurably(join(folder, "next"), version);
    await rename(join(folder, "next"), join(folder, "current"));
    await this.clean();
  }

  async remove(name: SetName): Promise<void> {
    await this.#leave(name);
    await rm(join(this.#root, folderName(name), "current"), { force: true });
    await this.clean();
  }

  /** To be called before a set is replaced or removed: the age of its version counts from now, even after a crash. */
  async #leave(name: SetName): Promise<void> {
    const set = await this.get(name);
    const now = new Date();
    // Fails if somebody removed it by hand.
    if (set !== undefined) await utimes(join(set.folder, ".."), now, now).catch(() => undefined);
  }

  async #read(name: string): Promise<StoredSet | undefined> {
    const folder = join(this.#root, name);
    const known = this.#known.get(name);
    const version = await currentOf(folder);
    if (known?.version === version && known !== undefined) return known.set;
    const set = version === undefined ? undefined : await readSet(join(folder, version));
    this.#known.set(name, { version, set });
    return set;
  }
}

async function isOver(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.mtimeMs < Date.now() - keptMs;
}

function folderName({ language, skill }: SetName): string {
  return skill === undefined ? language : `skill-${hash("sha256", skill, "hex").slice(0, 32)}-${language}`;
}

/** `version` is the folder of a version. */
async function readSet(version: string): Promise<StoredSet | undefined> {
  try {
    const set = manifest.parse(JSON.parse(await readFile(join(version, manifestFile), "utf8")));
    const lock = await readFile(join(version, lockFiles[set.language]), "utf8");
    return { ...set, lock, folder: join(version, packagesFolder) };
  } catch {
    // Somebody removed files of it: it counts as missing, and the next preparation replaces it.
    return undefined;
  }
}

async function currentOf(folder: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(folder, "current"), "utf8");
    return /^v-[0-9a-f-]{36}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, constants.O_CREAT | constants.O_WRONLY | constants.O_TRUNC, 0o600);
  await file.writeFile(text);
  await file.datasync();
}

import { hash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
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

/**
 * The sets of one data folder. Each has a folder with its versions and a file `current` that names one of them; it is replaced atomically,
 * so that a crash leaves the old version or the new one. Versions in use are removed after the last run that uses them. One process may
 * work on the folder at a time.
 */
export class PreparedSets {
  readonly #root: string;
  readonly #known = new Map<string, StoredSet | undefined>();
  /** Number of runs that use a folder. */
  readonly #used = new Map<string, number>();
  /** Folders that were replaced while in use. */
  readonly #old = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Removes unfinished builds of a killed bot, and replaced versions. To be called before anything runs. */
  async clean(): Promise<void> {
    for (const name of await entriesOf(this.#root)) {
      const folder = join(this.#root, name);
      const current = await currentOf(folder);
      const others = (await entriesOf(folder)).filter((entry) => entry !== current && entry !== "current");
      for (const entry of others) await rm(join(folder, entry), { recursive: true, force: true });
      if (current === undefined) await rm(folder, { recursive: true, force: true });
    }
  }

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
    const before = await this.get(name);
    const version = `v-${randomUUID()}`;
    await mkdir(join(folder, version), { mode: 0o700 });
    await rename(packages, join(folder, version, packagesFolder));
    await writeFile(join(folder, version, lockFiles[set.language]), lock, { mode: 0o600 });
    await writeDurably(join(folder, version, manifestFile), JSON.stringify(set, undefined, 2));
    await writeDurably(join(folder, "next"), version);
    await rename(join(folder, "next"), join(folder, "current"));
    this.#known.delete(folderName(name));
    await this.#retire(before);
  }

  async remove(name: SetName): Promise<void> {
    const before = await this.get(name);
    const folder = join(this.#root, folderName(name));
    await rm(join(folder, "current"), { force: true });
    this.#known.delete(folderName(name));
    await this.#retire(before);
  }

  /** Keeps the files of a set until the returned function is called. */
  use({ folder }: StoredSet): () => void {
    this.#used.set(folder, (this.#used.get(folder) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (this.#used.get(folder) ?? 1) - 1;
      if (left > 0) return void this.#used.set(folder, left);
      this.#used.delete(folder);
      // A folder that cannot be removed now is removed at the next start.
      if (this.#old.delete(folder)) removeVersion(folder).catch(() => undefined);
    };
  }

  async #retire(set: StoredSet | undefined): Promise<void> {
    if (set === undefined) return;
    if (this.#used.has(set.folder)) this.#old.add(set.folder);
    else await removeVersion(set.folder);
  }

  async #read(name: string): Promise<StoredSet | undefined> {
    if (!this.#known.has(name)) this.#known.set(name, await readSet(join(this.#root, name)));
    return this.#known.get(name);
  }
}

/** `folder` is the folder of packages within that of the version. */
async function removeVersion(folder: string): Promise<void> {
  await rm(join(folder, ".."), { recursive: true, force: true });
}

function folderName({ language, skill }: SetName): string {
  return skill === undefined ? language : `skill-${hash("sha256", skill, "hex").slice(0, 32)}-${language}`;
}

async function readSet(folder: string): Promise<StoredSet | undefined> {
  const current = await currentOf(folder);
  if (current === undefined) return undefined;
  try {
    const version = join(folder, current);
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

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A package of the bot's own node_modules that code in the sandbox may load. */
export interface LibraryFolder {
  name: string;
  /** Its folder on this machine; what it needs alone lies in it, too. */
  folder: string;
}

/** The folders of packages of the bot, and of those they need. A package that is not installed is left out. */
export async function libraryFolders(names: readonly string[]): Promise<LibraryFolder[]> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const root = ownPackages();
  /** @param nested the folder of the package that needs it, which may hold a version of its own */
  const add = async (name: string, nested?: string): Promise<void> => {
    const own = nested === undefined ? undefined : join(nested, "node_modules", name);
    const isOwn = own !== undefined && existsSync(own);
    const folder = isOwn ? own : join(root, name);
    if (seen.has(folder) || !existsSync(folder)) return;
    seen.add(folder);
    if (!isOwn) found.set(name, folder);
    const { dependencies = {} } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    for (const needed of Object.keys(dependencies)) await add(needed, folder);
  };
  for (const name of names) await add(name);
  return [...found].map(([name, folder]) => ({ name, folder }));
}

/** The node_modules that the bot itself is loaded with. */
function ownPackages(): string {
  const zod = createRequire(import.meta.url).resolve("zod/package.json");
  return dirname(dirname(zod));
}

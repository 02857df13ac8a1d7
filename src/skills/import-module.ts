import path from "node:path";
import { pathToFileURL } from "node:url";

/** The file next to a shipped SKILL.md that contains its code. */
export const moduleName = "skill.ts";

/**
 * The module of a shipped skill. The hash is part of the address, so a changed skill is imported anew; modules it imports
 * from elsewhere are not. A build has a table of the skills it was made from instead (`.ci/build.ts`).
 * @throws what the module throws
 */
export async function importModule(folder: string, hash: string): Promise<unknown> {
  const url = pathToFileURL(path.join(folder, moduleName));
  url.searchParams.set("version", hash.slice(0, 16));
  return import(/* @vite-ignore */ url.href);
}

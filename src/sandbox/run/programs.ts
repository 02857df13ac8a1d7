import { access, constants, realpath } from "node:fs/promises";
import { join } from "node:path";

/** Folders of a machine that scripts may see, none with personal or secret files. */
export const systemFolders: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
];

/** Folders searched for scripts' programs, on the machine and inside the sandbox. */
export const programFolders: readonly string[] = ["/usr/local/bin", "/usr/bin", "/bin"];

/**
 * The path of a program that isolated scripts can use, or undefined. A link to a place outside these folders (a home folder) does not
 * count.
 */
export async function findProgram(name: string): Promise<string | undefined> {
  return await firstProgram(name, programFolders, (real) =>
    systemFolders.some((folder) => real.startsWith(`${folder}/`)),
  );
}

/** The paths of several programs that isolated scripts can use, by name; undefined if one is missing. */
export async function findPrograms<Name extends string>(
  ...names: readonly Name[]
): Promise<Record<Name, string> | undefined> {
  const paths = await Promise.all(names.map(findProgram));
  if (paths.includes(undefined)) return undefined;
  return Object.fromEntries(names.map((name, at) => [name, paths[at]])) as Record<Name, string>;
}

/** The path of a program in one of these folders, even as a link to elsewhere: for code that sees the whole machine anyway. */
export async function findProgramIn(folders: readonly string[], name: string): Promise<string | undefined> {
  return await firstProgram(name, folders, () => true);
}

async function firstProgram(
  name: string,
  folders: readonly string[],
  isUsable: (realPath: string) => boolean,
): Promise<string | undefined> {
  const candidates = name.startsWith("/") ? [name] : folders.map((folder) => join(folder, name));
  for (const candidate of candidates) {
    const real = await executable(candidate);
    if (real !== undefined && isUsable(real)) return candidate;
  }
  return undefined;
}

async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return await realpath(path);
  } catch {
    // Missing or not executable: the next candidate decides.
    return undefined;
  }
}

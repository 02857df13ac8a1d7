import { hash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * sha256 of the names and contents of everything below a folder (or of a single file), without `.git`, hex. A link or a special file is
 * hashed as such, never as its target. @throws when something cannot be read.
 */
export async function treeHash(path: string): Promise<string> {
  const found = await lstat(path);
  const lines = found.isDirectory() ? await linesOf(path, "") : [await lineOf(path, "", found)];
  return hash("sha256", lines.join(""), "hex");
}

async function linesOf(folder: string, prefix: string): Promise<string[]> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    if (name === ".git") continue;
    const absolute = join(folder, name);
    const found = await lstat(absolute);
    if (found.isDirectory()) lines.push(...(await linesOf(absolute, `${prefix}${name}/`)));
    else lines.push(await lineOf(absolute, `${prefix}${name}`, found));
  }
  return lines;
}

async function lineOf(
  absolute: string,
  name: string,
  found: { isFile(): boolean; isSymbolicLink(): boolean },
): Promise<string> {
  if (!found.isFile()) return `${JSON.stringify(name)} ${found.isSymbolicLink() ? "link" : "special"}\n`;
  return `${JSON.stringify(name)} ${hash("sha256", await readFile(absolute), "hex")}\n`;
}

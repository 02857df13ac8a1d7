/** Maps the paths that tools and code see to paths on the disk. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type FolderWriter, folderRoot, skillFolder } from "../../core/ports/working-folder.ts";

/** `/workspace/a/b`, `./a/b` and `a/b` are the same; undefined for a path that leads out. */
export function relativePath(path: string): string | undefined {
  const plain = path.startsWith(`${folderRoot}/`) ? path.slice(folderRoot.length + 1) : path;
  const parts = plain.split("/").filter((part) => part !== "" && part !== ".");
  const leadsOut = plain.startsWith("/") || parts.includes("..") || plain.includes("\0");
  return leadsOut || parts.length === 0 ? undefined : parts.join("/");
}

export function shown(relative: string): string {
  return `${folderRoot}/${relative}`;
}

/** The part of the folder that a path belongs to, by its name on the disk, and the path within it. */
export function areaOf(relative: string): { area: string; rest: string } {
  const [first = "", second = "", ...more] = relative.split("/");
  if (first === "input") return { area: "input", rest: [second, ...more].join("/") };
  if (first === "skills") return { area: `skills/${second}`, rest: more.join("/") };
  return { area: "work", rest: relative };
}

export function seenAs(area: string, path: string): string {
  return area === "work" ? path : `${area}/${path}`;
}

export function areaOfWriter(writer: FolderWriter): string {
  return writer.kind === "agent" ? "work" : skillFolder(writer.id).slice(folderRoot.length + 1);
}

export async function areasIn(root: string): Promise<string[]> {
  const skills = await readdir(join(root, "skills")).catch(() => []);
  return ["input", "work", ...skills.map((name) => `skills/${name}`)];
}

export function isHidden(path: string): boolean {
  return path.split("/").some((part) => part.startsWith(".") || /^(node_modules|__pycache__)$/.test(part));
}

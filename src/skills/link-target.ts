import { realpathSync, statSync } from "node:fs";
import path from "node:path";

/** The target of a link. `outside` and `broken` ones are not followed. */
export type LinkTarget =
  | { kind: "file" | "directory"; path: string }
  | { kind: "outside" | "broken" | "other" };

/** Whether `target` is the folder or something in it. Both are real paths. */
export function isWithin(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return (
    relative === "" ||
    (!relative.startsWith(`..${path.sep}`) && relative !== ".." && !path.isAbsolute(relative))
  );
}

/** Follows a link as far as it stays within `root`, a real path. */
export function linkTarget(link: string, root: string): LinkTarget {
  try {
    const target = realpathSync(link);
    if (!isWithin(root, target)) return { kind: "outside" };
    const stats = statSync(target);
    if (stats.isDirectory()) return { kind: "directory", path: target };
    return stats.isFile() ? { kind: "file", path: target } : { kind: "other" };
  } catch {
    return { kind: "broken" };
  }
}

import { hash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { plainText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import { pathForm } from "../base/file-kind.ts";
import type { SkillFiles } from "../core/skill/skill.ts";
import { isWithin } from "./link-target.ts";
import type { HashedFile } from "./read-contents.ts";

const maxText = 256 * 1024;

/**
 * The files of a skill as they were when it was loaded. Hidden ones are left out, and a file that changed since is not returned: a running
 * turn never mixes two versions. `root` is the real path links must stay in.
 */
export function createSkillFiles(hashed: readonly HashedFile[], root: string): SkillFiles {
  const visible = visibleFiles(hashed);
  const byPath = new Map(visible.map((file) => [file.path, file]));
  const byForm = new Map(visible.map((file) => [pathForm(file.path), file]));
  return {
    list: async () => visible.map(({ path, bytes }) => ({ path, bytes })),
    async read(path) {
      const wanted = normalise(path);
      if (wanted === undefined)
        return refuse(`${path} leads out of the skill's folder. Use a path relative to it.`);
      const file = byPath.get(wanted) ?? byForm.get(pathForm(wanted));
      if (file === undefined) return refuse(`${path} is not a file of this skill.${namesOf(visible)}`);
      if (file.bytes > maxText) {
        return refuse(`${wanted} has ${file.bytes} bytes; at most ${maxText} can be read as text.`);
      }
      return readUnchanged(file, root);
    },
  };
}

/** The visible files: no part of their path is hidden. */
export function visibleFiles(hashed: readonly HashedFile[]): HashedFile[] {
  return hashed.filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")));
}

/** `./a/../b` is `b`; undefined for a path that leaves the folder. */
function normalise(path: string): string | undefined {
  if (/^(?:[\\/]|[A-Za-z]:)/.test(path)) return undefined;
  const normal = posix.normalize(path.replaceAll("\\", "/")).replace(/\/$/, "");
  return /^\.\.(?:\/|$)/.test(normal) ? undefined : normal;
}

async function readUnchanged(file: HashedFile, root: string): ReturnType<SkillFiles["read"]> {
  try {
    if (!isWithin(root, await realpath(file.absolute)))
      return refuse(`${file.path} leads out of the skill's folder.`);
    const bytes = await readFile(file.absolute);
    if (hash("sha256", bytes, "hex") !== file.sha256) return refuse(changed(file.path));
    const text = plainText(bytes);
    return text === undefined ? refuse(`${file.path} is not a text file.`) : { ok: true, text };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return refuse(changed(file.path));
    return refuse(`${file.path} cannot be read (${errorCode(error) ?? "unknown error"}).`);
  }
}

function changed(path: string): string {
  return `${path} changed since this turn began. The next turn sees the new version.`;
}

function namesOf(files: readonly HashedFile[]): string {
  if (files.length === 0) return "";
  const shown = files.slice(0, 20).map(({ path }) => path);
  return ` It has: ${shown.join(", ")}${files.length > shown.length ? ", …" : ""}.`;
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message };
}

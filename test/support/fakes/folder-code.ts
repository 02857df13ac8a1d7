import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type {
  FileChange,
  FolderUse,
  MountedFolder,
  WorkingFolder,
} from "../../../src/core/ports/working-folder.ts";

export const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A file as people attach it. */
export const attached = (name: string, text: string) => ({
  name,
  media_type: "text/plain",
  data: bytesOf(text),
});

let calls = 0;

/** A run with everything that a test does not care about. */
export function useOf(more: Partial<FolderUse> = {}): FolderUse {
  calls += 1;
  return { writer: { kind: "agent" }, turn_id: "turn", call_id: `call-${calls}`, text: "", ...more };
}

export const skill = (id: string) => ({ writer: { kind: "skill" as const, id } });

export const noSignal = new AbortController().signal;

/** Where a path of a run lies on this machine; the innermost mount counts. */
export function onDisk({ mounts }: MountedFolder, path: string): string {
  const mount = mounts.findLast(({ to }) => path === to || path.startsWith(`${to}/`));
  if (mount === undefined) throw new Error(`${path} is not mounted`);
  return mount.from + path.slice(mount.to.length);
}

/** Code that writes these files; paths are relative to its working directory. */
export function writes(
  files: Record<string, string | Uint8Array>,
): (working: MountedFolder) => Promise<void> {
  return async (working) => {
    for (const [name, data] of Object.entries(files)) {
      const path = onDisk(working, join(working.working, name));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, data);
    }
  };
}

/** Runs code that writes these files. Answers what changed, without sizes. */
export async function runThatWrites(
  folder: WorkingFolder,
  files: Record<string, string>,
  more: Partial<FolderUse> = {},
): Promise<string[]> {
  const { changed } = await folder.use(useOf(more), writes(files), noSignal);
  return inWords(changed);
}

export function inWords(changes: readonly FileChange[]): string[] {
  return changes.map(({ path, change }) => `${change} ${path}`).toSorted();
}

/** The text of a file; undefined if it does not exist. */
export async function textAt(folder: WorkingFolder, path: string): Promise<string | undefined> {
  const file = await folder.open(path);
  if (file === undefined) return undefined;
  const data = await file.read(0, file.bytes).finally(() => file.close());
  return new TextDecoder().decode(data);
}

export async function pathsIn(folder: WorkingFolder): Promise<string[]> {
  return (await folder.list()).files.map(({ path }) => path);
}

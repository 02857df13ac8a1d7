import { formatBytes } from "../../base/amounts.ts";
import { fileNameOf, safeFileName } from "../../base/file-kind.ts";
import type { TurnEvent } from "../log/turn-event.ts";
import { readFileContent } from "../ports/documents.ts";
import { addressOfFile, type NewFile, type StoredFile } from "../ports/storage.ts";
import type { OpenedFile } from "../ports/working-folder.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ToolContext } from "../skill/tool.ts";
import type { ThreadFiles } from "../skill/work-context.ts";
import type { PictureWords } from "../values/picture-words.ts";

/** Maximum bytes of one file that a call creates. */
export const maxToolFile = 25_000_000;
/** Maximum files of one turn. */
const maxFiles = 50;

/** Adds files to a turn. They are identified by call and original name: a call that is run again replaces its own files. */
export function createToolFiles(scope: TurnScope, callId: string, signal: AbortSignal): ToolContext["file"] {
  const { turn, ports, state } = scope;
  const added = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();

  const add = async ({ alt, chart, ...file }: NewFile & PictureWords): Promise<string> => {
    signal.throwIfAborted();
    requireSize(file);
    const step = `file:${safeFileName(file.name)}`;
    const before = added.get(step) ?? state.calls.get(callId)?.steps.get(step);
    const replaces = typeof before === "string" ? before : undefined;
    if (replaces === undefined && filesOf(scope) >= maxFiles) {
      throw new SkillFailure(
        "too_many_files",
        `a turn may have ${maxFiles} files`,
        "Put them into one file, or make fewer.",
      );
    }
    const stored = await ports.files.put(turn.turn_id, file, replaces);
    added.set(step, stored.name);
    signal.throwIfAborted();
    if (replaces === undefined) {
      await scope.emit({ type: "step_finished", call_id: callId, step, result: stored.name });
    }
    if (turn.events.some((event) => isSame(event, callId, stored))) return stored.name;
    const url = addressOfFile(turn.turn_id, stored.name);
    await scope.emit({ type: "file", call_id: callId, ...stored, url, alt, chart });
    return stored.name;
  };
  return (file) => {
    const done = last.then(() => add(file));
    last = done.catch(() => undefined);
    return done;
  };
}

function requireSize({ name, data }: NewFile): void {
  if (data.byteLength <= maxToolFile) return;
  const size = Math.ceil(data.byteLength / 1_000_000);
  throw new SkillFailure(
    "file_too_large",
    `${safeFileName(name)} has ${size} MB; a file may have ${maxToolFile / 1_000_000} MB`,
    "Make it smaller, or make several files.",
  );
}

function filesOf({ state }: TurnScope): number {
  let count = 0;
  for (const { steps } of state.calls.values()) {
    for (const step of steps.keys()) if (step.startsWith("file:")) count += 1;
  }
  return count;
}

function isSame(event: TurnEvent, callId: string, { name, media_type, bytes }: StoredFile): boolean {
  if (event.type !== "file" || event.call_id !== callId) return false;
  return event.name === name && event.media_type === media_type && event.bytes === bytes;
}

/** Maximum bytes of a file that a skill may read as a whole. */
const maxFile = 64_000_000;

export function createThreadFiles({ turn, ports }: TurnScope, signal: AbortSignal): ThreadFiles {
  const folder = ports.folders.of(turn.place);
  const list = async () => (await folder.list()).files;

  const open = async (path: string): Promise<OpenedFile> => {
    const direct = await folder.open(path);
    if (direct !== undefined) return direct;
    const files = await list();
    const named = files.filter((file) => fileNameOf(file.path) === fileNameOf(path));
    const [only, ...others] = named;
    if (only !== undefined && others.length === 0) {
      const opened = await folder.open(only.path);
      if (opened !== undefined) return opened;
    }
    const shown = (others.length > 0 ? named : files).slice(0, 20).map((file) => file.path);
    throw new SkillFailure(
      "no_such_file",
      others.length > 0
        ? `Several files of this thread are called ${fileNameOf(path)}.`
        : `There is no file ${path.slice(0, 200)} in this thread.`,
      shown.length === 0 ? "The thread has no files; ask the person for it." : `Files: ${shown.join(", ")}.`,
    );
  };

  return {
    list,
    async content(path) {
      const file = await open(path);
      try {
        const read = await readFileContent(file, ports.documents, signal);
        // Redacted before skills cut the text: half a secret would not be recognised.
        if (read.kind === "image") return { ...read, path: file.path };
        if (read.kind !== "unreadable") return ports.redact({ ...read, path: file.path });
        const hint = "Say so, and ask for it in another format.";
        throw new SkillFailure(
          "not_readable",
          `${fileNameOf(file.path)} cannot be read: ${read.problem}`,
          hint,
        );
      } finally {
        await file.close();
      }
    },
    async bytes(path) {
      const file = await open(path);
      try {
        if (file.bytes > maxFile) {
          const message = `${fileNameOf(file.path)} has ${formatBytes(file.bytes)}; at most ${formatBytes(maxFile)} can be taken.`;
          throw new SkillFailure("file_too_large", message, "Ask for a smaller one.");
        }
        return { path: file.path, data: await file.read(0, file.bytes) };
      } finally {
        await file.close();
      }
    },
  };
}

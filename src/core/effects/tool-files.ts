import type { TurnEventOf } from "../log/turn-event.ts";
import type { NewFile } from "../ports/file-store.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ToolContext } from "../skill/tool.ts";
import { safeFileName } from "../values/file-name.ts";

/** Bytes of one file that a call makes. */
export const largestToolFile = 25_000_000;
/** Files of one turn. */
const mostFiles = 50;

/** Files of a turn by what they were called in which call: a call that is run again replaces its own. */
export function createToolFiles(scope: TurnScope, callId: string, signal: AbortSignal): ToolContext["file"] {
  const { turn, ports, state } = scope;
  const added = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();

  const add = async (file: NewFile): Promise<string> => {
    signal.throwIfAborted();
    requireSize(file);
    const step = `file:${safeFileName(file.name)}`;
    const before = added.get(step) ?? state.calls.get(callId)?.steps.get(step);
    const replaces = typeof before === "string" ? before : undefined;
    if (replaces === undefined && filesOf(scope) >= mostFiles) {
      throw new SkillFailure(
        "too_many_files",
        `a turn may have ${mostFiles} files`,
        "Put them into one file, or make fewer.",
      );
    }
    const stored = await ports.files.put(turn.turn_id, file, replaces);
    added.set(step, stored.name);
    signal.throwIfAborted();
    if (replaces === undefined) {
      await scope.emit({ type: "step_finished", call_id: callId, step, result: stored.name });
    }
    const told = turn.events.some((event) => isSame(event, callId, stored));
    if (told) return stored.name;
    const url = `/api/v1/turns/${encodeURIComponent(turn.turn_id)}/files/${encodeURIComponent(stored.name)}`;
    await scope.emit({ type: "file", call_id: callId, ...stored, url });
    return stored.name;
  };
  return (file) => {
    const done = last.then(() => add(file));
    last = done.catch(() => undefined);
    return done;
  };
}

function requireSize({ name, data }: NewFile): void {
  if (data.byteLength <= largestToolFile) return;
  const size = Math.ceil(data.byteLength / 1_000_000);
  throw new SkillFailure(
    "file_too_large",
    `${safeFileName(name)} has ${size} MB; a file may have ${largestToolFile / 1_000_000} MB`,
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

function isSame(
  event: { type: string },
  callId: string,
  stored: Pick<TurnEventOf<"file">, "name" | "media_type" | "bytes">,
): boolean {
  if (event.type !== "file") return false;
  const file = event as TurnEventOf<"file">;
  return (
    file.call_id === callId &&
    file.name === stored.name &&
    file.media_type === stored.media_type &&
    file.bytes === stored.bytes
  );
}

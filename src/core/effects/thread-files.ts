import { readFileContent } from "../ports/read-file-content.ts";
import type { ThreadFiles } from "../ports/work-context.ts";
import type { OpenedFile } from "../ports/working-folder.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import { formatBytes } from "../values/format-bytes.ts";

/** Bytes of a file that a skill may have whole. */
const largestFile = 64_000_000;

export function createThreadFiles({ turn, ports }: TurnScope, signal: AbortSignal): ThreadFiles {
  const folder = ports.folders.of(turn.place);
  const list = async () => (await folder.list()).files;

  const open = async (path: string): Promise<OpenedFile> => {
    const direct = await folder.open(path);
    if (direct !== undefined) return direct;
    const files = await list();
    const named = files.filter((file) => nameOf(file.path) === nameOf(path));
    const [only, ...others] = named;
    if (only !== undefined && others.length === 0) {
      const opened = await folder.open(only.path);
      if (opened !== undefined) return opened;
    }
    const shown = (others.length > 0 ? named : files).slice(0, 20).map((file) => file.path);
    throw new SkillFailure(
      "no_such_file",
      others.length > 0
        ? `Several files of this thread are called ${nameOf(path)}.`
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
        // Skills cut what they read: half a secret would not be known for one.
        if (read.kind === "image") return { ...read, path: file.path };
        if (read.kind !== "unreadable") return ports.redact({ ...read, path: file.path });
        const hint = "Say so, and ask for it in another format.";
        throw new SkillFailure("not_readable", `${nameOf(file.path)} cannot be read: ${read.problem}`, hint);
      } finally {
        await file.close();
      }
    },
    async bytes(path) {
      const file = await open(path);
      try {
        if (file.bytes > largestFile) {
          const message = `${nameOf(file.path)} has ${formatBytes(file.bytes)}; at most ${formatBytes(largestFile)} can be taken.`;
          throw new SkillFailure("file_too_large", message, "Ask for a smaller one.");
        }
        return { path: file.path, data: await file.read(0, file.bytes) };
      } finally {
        await file.close();
      }
    },
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

import type { Readable } from "node:stream";
import { type ScriptFile, scriptFileLimits } from "../core/scripts.ts";
import { findProgram } from "./programs.ts";

/** Where a script leaves files, within its workspace. */
export const outputFolder = "output";

/** The file descriptor on which a run hands its files out. */
export const outputDescriptor = 4;

/** The files of a run, as a script's outcome has them. */
export interface OutputFiles {
  files: ScriptFile[];
  files_left_out?: string;
}

/**
 * What runs a command and then writes what it left in its output folder to the descriptor, as an archive of tar: the folder
 * lives in memory and is gone with the sandbox. The command itself does not get the descriptor.
 */
const shellScript = `mkdir -p "$KNACK_OUTPUT_DIR"
"$@" 4>&-
code=$?
[ ! -L "$KNACK_OUTPUT_DIR" ] && cd "$KNACK_OUTPUT_DIR" 2>/dev/null && [ -n "$(ls -A)" ] && tar -c -f - --hard-dereference . >&4 2>/dev/null
exit $code`;

/** A command prefix that collects files, or none where `sh` or `tar` is missing. */
export async function collectorPrefix(): Promise<string[]> {
  const [shell, tar] = await Promise.all(["sh", "tar"].map(findProgram));
  return shell === undefined || tar === undefined ? [] : [shell, "-c", shellScript, "collect"];
}

/**
 * Reads the archive of a run. It is written by untrusted code: sizes are limited, links and devices left out, names kept
 * within the folder, and packed archives not unpacked.
 */
export async function readOutputFiles(stream: Readable): Promise<OutputFiles> {
  const { Parser } = await import("tar");
  const found: OutputFiles = { files: [] };
  let bytes = 0;
  const leaveOut = (reason: string) => {
    found.files_left_out ??= reason;
  };
  const parser = new Parser({
    brotli: false,
    onReadEntry(entry) {
      const name = safeName(entry.path);
      const wanted = entry.type === "File" || entry.type === "OldFile";
      const full =
        found.files.length >= scriptFileLimits.files || bytes + entry.size > scriptFileLimits.bytes;
      if (wanted && full) leaveOut(tooMuch());
      if (!wanted || full || name === undefined) return void entry.resume();
      bytes += entry.size;
      const chunks: Uint8Array[] = [];
      entry.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      entry.on("end", () => found.files.push({ name, data: Buffer.concat(chunks) }));
    },
  });
  // A damaged archive: what came before the damage is kept.
  parser.on("error", () => leaveOut("The files it left could not all be read."));
  let began = false;
  try {
    for await (const chunk of stream) {
      // The name of the first entry is "./"; packed data, which could unpack to anything, begins otherwise.
      if (!began && chunk[0] !== 46) return found;
      began = true;
      parser.write(chunk);
    }
    if (began) parser.end();
  } catch {
    // The run was killed in the middle.
    leaveOut("The files it left could not all be read.");
  }
  return found;
}

function tooMuch(): string {
  const { files, bytes } = scriptFileLimits;
  return `It left more than ${files} files or ${Math.round(bytes / 1_000_000)} MB; what was beyond that was not kept.`;
}

/** A name within the folder, or undefined. */
function safeName(path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.includes("..") || /[\0\\]/.test(path)) return undefined;
  return parts.join("/");
}

import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CapturedOutput } from "../process/captured-output.ts";
import { groupEnd, killGroup, spawnGroup } from "../process/process-group.ts";
import { endOfAnswer, outOfMemory, type ReadRequest } from "./read-limits.ts";

/** Bytes of an answer: the longest text escaped, and its tables. */
const maxAnswerBytes = 100_000_000;
const entry = new URL("./inside/reader-process.ts", import.meta.url);

export type ReaderEnd = { answer: string } | { failed: "late" | "memory" | "crashed" };

/**
 * Runs the reading process for one file. It gets the open file, an empty environment and no right to write, to start processes or to
 * read files but the bot's code. It has ended when this settles, with whatever it did.
 * @throws the signal's reason
 */
export async function runReader(
  request: ReadRequest,
  descriptor: number,
  signal: AbortSignal,
): Promise<ReaderEnd> {
  signal.throwIfAborted();
  const late = AbortSignal.timeout(request.limits.timeoutMs);
  const child = start(request, descriptor);
  if (child === undefined) return { failed: "crashed" };
  const stop = () => killGroup(child);
  const ends = AbortSignal.any([signal, late]);
  ends.addEventListener("abort", stop, { once: true });
  // That it was not started is told by its end.
  child.on("error", () => undefined);
  const output = new CapturedOutput(maxAnswerBytes);
  child.stdout?.on("data", (chunk: Buffer) => output.add(chunk));
  // Its input stays open: the process ends with it.
  child.stdin?.on("error", () => undefined);
  await groupEnd(child);
  ends.removeEventListener("abort", stop);
  signal.throwIfAborted();
  const text = output.text();
  if (output.truncated || !text.endsWith(endOfAnswer)) return { failed: late.aborted ? "late" : "crashed" };
  const answer = text.slice(0, -endOfAnswer.length);
  return answer === outOfMemory ? { failed: "memory" } : { answer };
}

function start(request: ReadRequest, descriptor: number) {
  const readable = readableFolders().map((folder) => `--allow-fs-read=${folder}/*`);
  const args = [
    "--permission",
    "--allow-worker",
    ...readable,
    "--no-warnings",
    fileURLToPath(entry),
    JSON.stringify(request),
  ];
  try {
    return spawnGroup(process.execPath, args, { env: {}, stdio: ["pipe", "pipe", "ignore", descriptor] });
  } catch {
    return undefined;
  }
}

/** The bot's code and its libraries, wherever they are installed. */
function readableFolders(): string[] {
  const source = fileURLToPath(new URL("..", import.meta.url));
  const library = fileURLToPath(import.meta.resolve("zod"));
  const marker = `${path.sep}node_modules${path.sep}`;
  const libraries = library.slice(0, library.lastIndexOf(marker) + marker.length);
  return [source, libraries, path.join(source, "../node_modules")]
    .map((folder) => path.resolve(folder))
    .filter(existsSync);
}

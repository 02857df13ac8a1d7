import { formatBytes } from "../../base/amounts.ts";
import { mediaTypeOf } from "../../base/file-kind.ts";
import { escapedInvisible } from "../../base/text/invisible-text.ts";
import {
  type FileChange,
  type MountedFolder,
  outputFolder,
  type WorkingFolder,
} from "../ports/working-folder.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import type { ToolContext } from "../skill/tool.ts";
import { ExpectedFailure } from "../values/failure.ts";
import { maxToolFile } from "./tool-files.ts";

/** Maximum files that one run posts, and that are listed for one run. */
const maxPosted = 10;
const maxNamed = 20;

/** Implements `ToolContext.inFolder`. */
export async function runInFolder<T>(
  { turn, ports }: Pick<TurnScope, "turn" | "ports">,
  call_id: string,
  text: string,
  file: ToolContext["file"],
  run: (working: MountedFolder) => Promise<T>,
  signal: AbortSignal,
): Promise<{ value: T; notes: readonly string[] }> {
  const folder = ports.folders.of(turn.place);
  const { value, changed } = await folder.use(
    { writer: { kind: "agent" }, turn_id: turn.turn_id, call_id, text },
    run,
    signal,
  );
  signal.throwIfAborted();
  return { value, notes: await tellOfChanges(folder, outputFolder, changed, file) };
}

/** Hands over the files that a run left in its output folder. Returns notes for the model on all changes, one line each. */
export async function tellOfChanges(
  folder: WorkingFolder,
  output: string,
  changed: readonly FileChange[],
  file: ToolContext["file"],
): Promise<string[]> {
  const isForPerson = ({ path, change }: FileChange) => change !== "removed" && path.startsWith(`${output}/`);
  const left = changed.filter(isForPerson);
  const [large, fitting] = [left.filter(isLarge), left.filter((each) => !isLarge(each))];
  const posted = await post(folder, output, fitting, file);
  const others = changesInWords(changed.filter((each) => !isForPerson(each)));
  return [
    ...posted,
    ...(large.length === 0
      ? []
      : [`[too large to be handed over, at most ${formatBytes(maxToolFile)} a file: ${listed(large)}]`]),
    ...(others === "" ? [] : [`[it ${others}]`]),
  ];
}

function isLarge({ bytes }: FileChange): boolean {
  return bytes > maxToolFile;
}

/** Adds the files that the person does not have yet to the answer. Returns the notes for the model. */
async function post(
  folder: WorkingFolder,
  output: string,
  left: readonly FileChange[],
  file: ToolContext["file"],
): Promise<string[]> {
  const fresh = new Set(await folder.handOver(left.slice(0, maxPosted).map(({ path }) => path)));
  const posted: FileChange[] = [];
  const problems: string[] = [];
  for (const change of left.filter(({ path }) => fresh.has(path))) {
    const { path } = change;
    const opened = await folder.open(path);
    if (opened === undefined) continue;
    // Two files of one call may have the same name in different folders.
    const name = path.slice(output.length + 1);
    try {
      const data = await opened.read(0, opened.bytes).finally(() => opened.close());
      await file({ name, media_type: mediaTypeOf(name), data });
      posted.push(change);
    } catch (error) {
      // A file that cannot be handed over must not cost the output of the code.
      if (!(error instanceof ExpectedFailure)) throw error;
      problems.push(`[${readable(path)} was not handed over: ${readable(error.message)}]`);
    }
  }
  const rest = left.length - maxPosted;
  return [
    ...(posted.length === 0 ? [] : [`[files the person gets with your answer: ${listed(posted)}]`]),
    ...problems,
    ...(rest > 0
      ? [`[${rest} more files in the output folder were not handed over: at most ${maxPosted} a call]`]
      : []),
  ];
}

/** `made a.csv (12 kB), b.csv (1 kB); removed c.csv`; empty when nothing changed. */
export function changesInWords(changes: readonly FileChange[]): string {
  const kinds = Map.groupBy(changes, ({ change }) => change);
  return (["made", "changed", "removed"] as const)
    .flatMap((kind) => {
      const files = kinds.get(kind) ?? [];
      return files.length === 0 ? [] : `${kind} ${listed(files)}`;
    })
    .join("; ");
}

function listed(files: readonly FileChange[]): string {
  const named = files
    .slice(0, maxNamed)
    .map(({ path, bytes, change }) =>
      change === "removed" ? readable(path) : `${readable(path)} (${formatBytes(bytes)})`,
    );
  const more = files.length - maxNamed;
  return named.join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "");
}

/** Cleans a name from code, so that it cannot begin a new line. */
export function readable(path: string): string {
  return escapedInvisible(path, true).slice(0, 300);
}

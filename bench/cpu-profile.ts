import { readFile } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A share of the CPU time of a profile, in percent. */
export interface ProfileLine {
  where: string;
  percent: number;
}

/** The CPU time of a profile by function, most expensive first, without idle time. */
export interface ProfileSummary {
  /** Milliseconds of work in all. */
  busyMs: number;
  /** By function, `file:line name`: its own time. */
  functions: ProfileLine[];
  /** By file or package: own time. */
  files: ProfileLine[];
  /**
   * By function of ours: its own time and that of the libraries and of Node that worked for it. What the nearest caller of
   * ours is asked for is charged to it; work that begins in the event loop has none and stands under `(event loop)`.
   */
  charged: ProfileLine[];
}

const repository = fileURLToPath(new URL("..", import.meta.url));
const withoutWork = new Set(["(idle)", "(root)"]);

/** Reads a `.cpuprofile` file and adds it up. */
export async function summariseProfile(file: string): Promise<ProfileSummary> {
  const profile = JSON.parse(await readFile(file, "utf8")) as Profiler.Profile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node.id] as const)),
  );
  const ownMs = ownTimes(profile);
  const functions = new Map<string, number>();
  const files = new Map<string, number>();
  const charged = new Map<string, number>();
  let busyMs = 0;
  for (const [id, ms] of ownMs) {
    const frame = nodes.get(id)?.callFrame;
    if (frame === undefined || withoutWork.has(frame.functionName)) continue;
    busyMs += ms;
    add(functions, nameOf(frame), ms);
    add(files, fileOf(frame), ms);
    add(charged, chargedTo(id, nodes, parents), ms);
  }
  return {
    busyMs,
    functions: shares(functions, busyMs),
    files: shares(files, busyMs),
    charged: shares(charged, busyMs),
  };
}

/** Milliseconds by node. */
function ownTimes({ samples = [], timeDeltas = [] }: Profiler.Profile): Map<number, number> {
  const times = new Map<number, number>();
  for (const [at, id] of samples.entries()) add(times, id, (timeDeltas[at] ?? 0) / 1000);
  return times;
}

function chargedTo(
  id: number,
  nodes: ReadonlyMap<number, Profiler.ProfileNode>,
  parents: ReadonlyMap<number, number>,
): string {
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const frame = nodes.get(at)?.callFrame;
    if (frame === undefined) break;
    const file = fileOf(frame);
    if (/^(src|skills|bench)\//.test(file) || frame.functionName === "(garbage collector)")
      return nameOf(frame);
  }
  return "(event loop)";
}

function nameOf(frame: Profiler.ProfileNode["callFrame"]): string {
  const name = frame.functionName === "" ? "(anonymous)" : frame.functionName;
  return frame.url === "" ? name : `${fileOf(frame)}:${frame.lineNumber + 1} ${name}`;
}

/** Relative to the repository; a package by its name and the file within. */
function fileOf({ url, functionName }: Profiler.ProfileNode["callFrame"]): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "(native)";
  if (!url.startsWith("file:")) return url;
  return path.relative(repository, fileURLToPath(url)).replace(/^.*node_modules\//, "");
}

function shares(times: ReadonlyMap<string, number>, total: number): ProfileLine[] {
  return [...times]
    .map(([where, ms]) => ({ where, percent: (100 * ms) / total }))
    .sort((a, b) => b.percent - a.percent);
}

function add<Key>(times: Map<Key, number>, key: Key, ms: number): void {
  times.set(key, (times.get(key) ?? 0) + ms);
}

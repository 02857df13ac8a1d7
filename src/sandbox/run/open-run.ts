import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Mutex } from "../../core/ports/storage.ts";
import type { CallOfCode, HostKey, NetworkAccess } from "../../core/skill/programs.ts";
import type { Requirements } from "../../core/skill/skill.ts";
import type { Launch, LaunchRequest } from "../isolation.ts";
import type { PlaceRequest } from "../places.ts";
import type { OpenProxy, SandboxContext } from "../sandbox-context.ts";
import { type CallSocket, openCallSocket } from "./call-socket.ts";

/** Marks the owner of run folders: a process knows its own, and may remove those of ended processes. */
const owner = randomBytes(6).toString("hex");
const keyOf = (name: string) => `sandbox ${name}`;

/** Tells other processes that this one lives, until the returned function is called. To be called before the first run. */
export async function claimRunFolders(mutex: Mutex): Promise<() => Promise<void>> {
  // Another sandbox of this process has claimed them.
  if (await mutex.isBusy(keyOf(owner))) return async () => {};
  const [claimed, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = mutex.run(keyOf(owner), async () => {
    claimed.resolve();
    await over.promise;
  });
  await Promise.race([claimed.promise, held]);
  return async () => {
    over.resolve();
    await held;
  };
}

/** An empty folder of this process for one run, in the folder of all runs. */
export async function makeRunFolder(runs: string): Promise<string> {
  return await mkdtemp(join(runs, `run-${owner}-`));
}

/** Removes the run folders of ended processes: of all that have not claimed theirs. Folders that cannot be removed stay. */
export async function removeLeftovers(runs: string, mutex: Mutex): Promise<void> {
  const all = (await readdir(runs)).filter((name) => name.startsWith("run-"));
  const byOwner = Map.groupBy(all, (name) => name.split("-")[1] ?? "");
  for (const [name, folders] of byOwner) {
    if (name === owner || (await mutex.isBusy(keyOf(name)))) continue;
    for (const folder of folders)
      await rm(join(runs, folder), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

/** A process ready to be started, with everything created for it alone. */
export interface Run {
  launch: Launch;
  /** Removes its folder and closes its network access. */
  close(): Promise<void>;
}

/** The code of a run. */
export interface RunCode extends Omit<LaunchRequest, "runFolder" | "socket" | "authority" | "calls"> {
  /** Of the variables, those that the code does not get in a sandbox, and where requests get them. */
  keys?: Requirements["keys"];
}

/** What a run needs in addition to its code. */
export interface RunRequest extends PlaceRequest {
  network?: NetworkAccess | undefined;
  onCall?: CallOfCode | undefined;
}

/**
 * Waits for a place, and creates a run's folder and, if it may have them, its proxy and its socket for calls. Nothing is left behind if that fails. Returns a
 * reason for a person if no place became free in time. @throws the signal's reason
 */
export async function openRun(
  { keys, ...code }: RunCode,
  { network, onCall, ...place }: RunRequest,
  { isolation, runs, openProxy, places }: SandboxContext,
): Promise<Run | { reason: string }> {
  const taken = await places.take(place);
  if ("reason" in taken) return taken;
  let proxy: Awaited<ReturnType<OpenProxy>> | undefined;
  let calls: CallSocket | undefined;
  let runFolder: string | undefined;
  const close = async () => {
    taken.release();
    await proxy?.close();
    await calls?.close();
    if (runFolder !== undefined) await rm(runFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const isConfined = isolation.kind === "bubblewrap";
    const held = isConfined ? withoutKeys(code.env, keys) : { env: code.env, keys: [] };
    if (network !== undefined && isConfined) proxy = await openProxy?.({ ...network, keys: held.keys });
    if (onCall !== undefined) calls = await openCallSocket(onCall);
    runFolder = await makeRunFolder(runs);
    const sockets = {
      ...(proxy === undefined ? {} : { socket: proxy.socket, authority: proxy.authority }),
      ...(calls === undefined ? {} : { calls: calls.socket }),
    };
    const { env } = held;
    return { launch: await isolation.prepare({ ...code, env, ...sockets, runFolder }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The variables with placeholders for keys, new ones for each run, and the keys that the proxy puts in their place. */
function withoutKeys(
  env: LaunchRequest["env"],
  places: Requirements["keys"] = {},
): { env: LaunchRequest["env"]; keys: HostKey[] } {
  const keys = Object.entries(places).flatMap(([name, place]) => {
    const key = env[name]?.trim() ?? "";
    const placeholder = `knack-placeholder-${randomBytes(16).toString("hex")}`;
    return key === "" ? [] : [{ ...place, name, key, placeholder }];
  });
  return {
    env: { ...env, ...Object.fromEntries(keys.map(({ name, placeholder }) => [name, placeholder])) },
    keys,
  };
}

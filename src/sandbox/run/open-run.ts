import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../base/error-text.ts";
import type { Mutex } from "../../core/ports/storage.ts";
import type { CallOfCode, HostKey, NetworkAccess } from "../../core/skill/programs.ts";
import type { Requirements } from "../../core/skill/skill.ts";
import type { Launch, LaunchRequest } from "../isolation.ts";
import type { PlaceRequest } from "../places.ts";
import type { OpenProxy, SandboxContext } from "../sandbox-context.ts";
import { openCallSocket } from "./call-socket.ts";

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

/** Folders of unix sockets. Their paths are limited to 108 bytes (unix(7)), so they are short ones of the system's folder. */
const socketFolders = "knack-sockets-";
/** A folder that changed less than this time ago may belong to a run that is being opened, ms. */
const openingMs = 60_000;

/**
 * Removes the folders of sockets that killed processes of this user left behind: those with no socket that a process listens on. Other bots
 * of this machine have theirs in the same place.
 */
export async function removeDeadSockets(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(socketFolders));
  for (const folder of names.map((name) => join(tmpdir(), name))) {
    const found = await lstat(folder).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== process.geteuid?.()) continue;
    if (Date.now() - found.mtimeMs < openingMs) continue;
    const sockets = await readdir(folder).catch(() => []);
    const heard = await Promise.all(sockets.map((name) => isHeard(join(folder, name))));
    if (!heard.includes(true)) await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a process listens on a socket; true if it cannot be told. */
function isHeard(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket, () => resolve(true));
  connection.once("error", (error) => resolve(!["ECONNREFUSED", "ENOENT"].includes(errorCode(error) ?? "")));
  return promise.finally(() => connection.destroy());
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
  let endCalls: Awaited<ReturnType<typeof openCallSocket>> | undefined;
  let sockets: string | undefined;
  let runFolder: string | undefined;
  const newSocket = async (name: string) => {
    sockets ??= await mkdtemp(join(tmpdir(), socketFolders));
    return join(sockets, name);
  };
  const close = async () => {
    taken.release();
    await proxy?.close();
    await endCalls?.();
    for (const folder of [sockets, runFolder])
      if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const isConfined = isolation.kind === "bubblewrap";
    const held = isConfined ? withoutKeys(code.env, keys) : { env: code.env, keys: [] };
    const given: Pick<LaunchRequest, "socket" | "authority" | "calls"> = {};
    if (network !== undefined && isConfined && openProxy !== undefined) {
      given.socket = await newSocket("net");
      proxy = await openProxy({ ...network, keys: held.keys }, given.socket);
      given.authority = proxy.authority;
    }
    if (onCall !== undefined) {
      given.calls = await newSocket("calls");
      endCalls = await openCallSocket(given.calls, onCall);
    }
    // The sandbox has another user; the folder keeps others away.
    for (const socket of [given.socket, given.calls]) if (socket !== undefined) await chmod(socket, 0o666);
    runFolder = await makeRunFolder(runs);
    return { launch: await isolation.prepare({ ...code, env: held.env, ...given, runFolder }), close };
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

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NetworkAccess } from "../core/programs.ts";
import type { Launch, LaunchRequest } from "./isolation.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/** A process ready to be started, with what exists for it alone. */
export interface Run {
  launch: Launch;
  /** Removes its folder and closes its way out. */
  close(): Promise<void>;
}

/** Makes a run's folder and, where it may have network, its proxy. Nothing is left behind when that fails. */
export async function openRun(
  request: Omit<LaunchRequest, "runFolder" | "socket">,
  network: NetworkAccess | undefined,
  { isolation, runs, openProxy }: SandboxContext,
): Promise<Run> {
  const proxied = network !== undefined && isolation.kind === "bubblewrap";
  const proxy = proxied ? await openProxy?.(network) : undefined;
  const runFolder = await mkdtemp(join(runs, "run-"));
  const close = async () => {
    await proxy?.close();
    await rm(runFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const socket = proxy === undefined ? {} : { socket: proxy.socket };
    return { launch: await isolation.prepare({ ...request, ...socket, runFolder }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

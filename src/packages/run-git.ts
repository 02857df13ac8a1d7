import type { ChildProcess } from "node:child_process";
import { CapturedOutput } from "../process/captured-output.ts";
import { groupEnd, killGroup, spawnGroup } from "../process/process-group.ts";
import { PackageRefusal } from "./package-refusal.ts";

/** How git runs here. */
export interface GitAccess {
  /** The folders git is looked for in, as PATH writes them. */
  path: string;
  /** Hosts that may be reached without encryption. */
  plainHttpHosts: readonly string[];
}

export interface GitRun {
  access: GitAccess;
  /** Address of the guarded proxy that all of git's connections go through. Without it redirects are not followed. */
  proxyUrl?: string | undefined;
  /** The temporary folder it works in; also its HOME. */
  folder: string;
  arguments: readonly string[];
  /** Whether it may speak http without encryption. */
  plainHttp: boolean;
  signal: AbortSignal;
  /** Of what it prints; more ends it. */
  maxBytes: number;
  /** Called a few times a second; what it throws ends git and is thrown. */
  watch(): Promise<void>;
}

const everyMs = 100;
const maxErrorBytes = 20_000;

/**
 * Runs git with no configuration but ours, no hooks, no prompts and no protocol but https (and http where allowed), and
 * answers what it printed.
 * @throws PackageRefusal; on abort, the signal's reason.
 */
export async function runGit(run: GitRun): Promise<Buffer> {
  run.signal.throwIfAborted();
  const child = spawnGroup("git", [...settings(run), ...run.arguments], {
    cwd: run.folder,
    env: environment(run),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stopped: unknown;
  const stop = (reason: unknown) => {
    stopped ??= reason;
    killGroup(child);
  };
  const onAbort = () => stop(run.signal.reason);
  run.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setInterval(() => run.watch().catch(stop), everyMs);
  try {
    const { code, output, errors } = await ended(child, run.maxBytes, stop);
    await run.watch();
    if (stopped !== undefined) throw stopped;
    if (code !== 0) throw failed(errors);
    return output;
  } finally {
    clearInterval(timer);
    run.signal.removeEventListener("abort", onAbort);
  }
}

function settings({ proxyUrl, plainHttp }: GitRun): string[] {
  const pairs = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "core.protectNTFS=true",
    "core.protectHFS=true",
    "credential.helper=",
    "fetch.fsckObjects=true",
    "transfer.bundleURI=false",
    "submodule.recurse=false",
    "tar.umask=0022",
    "protocol.allow=never",
    "protocol.https.allow=always",
    `protocol.http.allow=${plainHttp ? "always" : "never"}`,
    `http.followRedirects=${proxyUrl === undefined ? "false" : "initial"}`,
    `http.proxy=${proxyUrl ?? ""}`,
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
  ];
  return pairs.flatMap((pair) => ["-c", pair]);
}

/** Nothing of the bot's own environment: it holds its secrets. */
function environment({ access, folder }: GitRun): Record<string, string> {
  return {
    PATH: access.path,
    HOME: folder,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_CEILING_DIRECTORIES: folder,
  };
}

/** @throws PackageRefusal `git_missing` */
async function ended(
  child: ChildProcess,
  maxBytes: number,
  stop: (reason: unknown) => void,
): Promise<{ code: number | null; output: Buffer; errors: string }> {
  const output = new CapturedOutput(maxBytes);
  const errors = new CapturedOutput(maxErrorBytes);
  child.stdout?.on("data", (chunk: Buffer) => {
    output.add(chunk);
    if (output.truncated) stop(tooLarge(maxBytes));
  });
  child.stderr?.on("data", (chunk: Buffer) => errors.add(chunk));
  const missing = new Promise<never>((_resolve, reject) => {
    child.on("error", (cause) => reject(gitMissing(cause)));
  });
  const { code } = await Promise.race([missing, groupEnd(child)]);
  return { code, output: output.bytes(), errors: errors.text() };
}

function gitMissing(cause: Error): PackageRefusal {
  const message =
    "The program git cannot be started here. Install it on the machine the bot runs on, or give the address of an archive.";
  return new PackageRefusal("git_missing", message, cause);
}

export function tooLarge(maxBytes: number): PackageRefusal {
  return new PackageRefusal(
    "archive_too_large",
    `The repository is over ${maxBytes / 1_000_000} MB. Nothing was installed; give the address of a smaller archive.`,
  );
}

/** What git said last, without the addresses of proxies. */
function failed(errors: string): PackageRefusal {
  const lines = errors.split("\n").filter((line) => /^(?:fatal|error|remote):/.test(line));
  const said = (lines.at(-1) ?? "it said nothing more").replace(/\bproxy\s+\S+/gi, "proxy").slice(0, 300);
  return new PackageRefusal(
    "git_failed",
    `git could not fetch the repository (${said}). Nothing was installed; check the address and the branch.`,
  );
}

import { type ChildProcess, spawn } from "node:child_process";
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
  mostBytes: number;
  /** Called a few times a second; what it throws ends git and is thrown. */
  watch(): Promise<void>;
}

const everyMs = 100;
const mostErrorBytes = 20_000;

/**
 * Runs git with no configuration but ours, no hooks, no prompts and no protocol but https (and http where allowed), and
 * answers what it printed.
 * @throws PackageRefusal; on abort, the signal's reason.
 */
export async function runGit(run: GitRun): Promise<Buffer> {
  run.signal.throwIfAborted();
  const child = spawn("git", [...settings(run), ...run.arguments], {
    cwd: run.folder,
    env: environment(run),
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: what git started ends with it.
    detached: true,
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
    const { code, output, errors } = await ended(child, run.mostBytes, stop);
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
function environment({ access, folder }: GitRun): NodeJS.ProcessEnv {
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

function ended(
  child: ChildProcess,
  mostBytes: number,
  stop: (reason: unknown) => void,
): Promise<{ code: number | null; output: Buffer; errors: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let errors = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      else stop(tooLarge(mostBytes));
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (errors.length < mostErrorBytes) errors += chunk.toString("utf8");
    });
    child.on("error", (cause: NodeJS.ErrnoException) => {
      reject(
        new PackageRefusal(
          "git_missing",
          "The program git cannot be started here. Install it on the machine the bot runs on, or give the address of an archive.",
          cause,
        ),
      );
    });
    child.on("close", (code) => resolve({ code, output: Buffer.concat(chunks), errors }));
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: everything has ended. EPERM: what is left of the group is only a zombie (macOS).
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

export function tooLarge(mostBytes: number): PackageRefusal {
  return new PackageRefusal(
    "archive_too_large",
    `The repository is over ${mostBytes / 1_000_000} MB. Nothing was installed; give the address of a smaller archive.`,
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

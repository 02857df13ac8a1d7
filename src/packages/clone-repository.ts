import type { ChildProcess } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../base/error-text.ts";
import { CapturedOutput } from "../process/captured-output.ts";
import { groupEnd, killGroup, spawnGroup } from "../process/process-group.ts";
import type { GitAddress } from "./git-address.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { PackageFile } from "./package-tree.ts";
import { readTar } from "./read-tar.ts";

export interface CloneRequest {
  address: GitAddress;
  access: GitAccess;
  /** Opens a guarded proxy for one clone, which refuses private addresses. Without it git connects directly. */
  openProxy?: (() => Promise<{ url: string; close(): Promise<void> }>) | undefined;
  /** An empty folder that the caller removes. */
  folder: string;
  limits: PackageLimits;
  signal: AbortSignal;
}

/**
 * The files of the newest commit, or of a folder in it. Nothing is checked out: git writes them as a tar archive, which is read like any
 * other, so that links and names are checked in one place. Submodules are left out.
 * @throws PackageRefusal; on abort, the signal's reason.
 */
export async function cloneRepository(request: CloneRequest): Promise<PackageFile[]> {
  const { address, access, folder, limits } = request;
  const { repository, ref } = address;
  if (repository.protocol === "http:" && !access.plainHttpHosts.includes(repository.hostname)) {
    const message = "The repository's address is not encrypted (http). Nothing was fetched; use https.";
    throw new PackageRefusal("not_encrypted", message);
  }
  const bare = join(folder, "repository.git");
  const deadline = AbortSignal.timeout(limits.fetch_ms);
  const proxy = await request.openProxy?.();
  const base = {
    access,
    proxyUrl: proxy?.url,
    folder,
    plainHttp: repository.protocol === "http:",
    signal: AbortSignal.any([request.signal, deadline]),
    watch: async () => {
      if ((await sizeOf(bare)) > limits.archive_bytes) throw tooLarge(limits.archive_bytes);
    },
  };
  try {
    const branch = ref === undefined ? [] : ["--branch", ref];
    const flags = ["--bare", "--quiet", "--depth", "1", "--no-tags", "--single-branch", "--template="];
    await runGit({
      ...base,
      arguments: ["clone", ...flags, ...branch, "--", repository.href, bare],
      maxBytes: 100_000,
    });
    const tree = address.folder === undefined ? "HEAD" : `HEAD:${address.folder}`;
    const archive = await runGit({
      ...base,
      arguments: ["--git-dir", bare, "archive", "--format=tar", tree],
      maxBytes: limits.unpacked_bytes + limits.files * 4_096,
    });
    return await readTar(archive, false, limits);
  } catch (error) {
    if (!deadline.aborted || request.signal.aborted) throw error;
    const seconds = limits.fetch_ms / 1000;
    const message = `Cloning timed out after ${seconds} seconds. Nothing was installed; try again later.`;
    throw new PackageRefusal("timed_out", message, error);
  } finally {
    await proxy?.close();
  }
}

/** Bytes of all files below a folder; files that vanish meanwhile do not count. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile()) continue;
    bytes += await bytesOf(join(entry.parentPath, entry.name));
  }
  return bytes;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    return ifGone(error, []);
  }
}

async function bytesOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    return ifGone(error, 0);
  }
}

function ifGone<T>(error: unknown, value: T): T {
  if (errorCode(error) === "ENOENT") return value;
  throw error;
}

/** The settings under which git runs. */
interface GitAccess {
  /** The folders git is searched for in, in the format of PATH. */
  path: string;
  /** Hosts that may be reached without encryption. */
  plainHttpHosts: readonly string[];
}

interface GitRun {
  access: GitAccess;
  /** Address of the guarded proxy for all of git's connections. Without it redirects are not followed. */
  proxyUrl?: string | undefined;
  /** The temporary folder it works in; also its HOME. */
  folder: string;
  arguments: readonly string[];
  /** Whether unencrypted http is allowed. */
  plainHttp: boolean;
  signal: AbortSignal;
  /** Maximum output; more ends it. */
  maxBytes: number;
  /** Called a few times a second; an error it throws ends git and is rethrown. */
  watch(): Promise<void>;
}

const everyMs = 100;
const maxErrorBytes = 20_000;

/**
 * Runs git with only the configuration given here, no hooks, no prompts and no protocol except https (and http if allowed), and returns its
 * output.
 * @throws PackageRefusal; on abort, the signal's reason.
 */
async function runGit(run: GitRun): Promise<Buffer> {
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

/** Nothing of the bot's own environment, which contains its secrets. */
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

function tooLarge(maxBytes: number): PackageRefusal {
  const message = `The repository is over ${maxBytes / 1_000_000} MB. Nothing was installed; give the address of a smaller archive.`;
  return new PackageRefusal("archive_too_large", message);
}

/** The last output of git, without the addresses of proxies. */
function failed(errors: string): PackageRefusal {
  const lines = errors.split("\n").filter((line) => /^(?:fatal|error|remote):/.test(line));
  const said = (lines.at(-1) ?? "it said nothing more").replace(/\bproxy\s+\S+/gi, "proxy").slice(0, 300);
  const message = `git could not fetch the repository (${said}). Nothing was installed; check the address and the branch.`;
  return new PackageRefusal("git_failed", message);
}

import type { ChildProcess } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { orUndefined } from "../../base/error-text.ts";
import { CapturedOutput } from "../../process/captured-output.ts";
import { groupEnd, killGroup, spawnGroup } from "../../process/process-group.ts";
import type { PackageLimits } from "../package-limits.ts";
import { PackageRefusal, refusedEntry } from "../package-refusal.ts";
import {
  type ClaimedFile,
  createPackageTree,
  type PackageContents,
  type PackageTree,
  type ReadPackage,
  tooMuchAtOnce,
} from "../package-tree.ts";
import type { GitAddress } from "./git-address.ts";

export interface RepositoryRequest {
  address: GitAddress;
  access: GitAccess;
  /** Opens a guarded proxy for one fetch, which refuses private addresses. Without it git connects directly. */
  openProxy?: (() => Promise<{ url: string; close(): Promise<void> }>) | undefined;
  /** An empty folder that the caller removes. */
  folder: string;
  limits: PackageLimits;
  signal: AbortSignal;
}

/**
 * Fetches the newest commit of a repository, without its files where the server can leave them out; they are fetched when they are read.
 * Nothing is checked out, no attribute of the repository has an effect, and submodules are left out.
 * @throws PackageRefusal; on abort, the signal's reason.
 */
export async function openRepository(request: RepositoryRequest): Promise<ReadPackage> {
  const { address, access } = request;
  const { repository, ref = "HEAD" } = address;
  if (repository.protocol === "http:" && !access.plainHttpHosts.includes(repository.hostname)) {
    const message = "The repository's address is not encrypted (http). Nothing was fetched; use https.";
    throw new PackageRefusal("not_encrypted", message);
  }
  await local(request, ["init", "--bare", "--quiet", "--template=", bareOf(request)]);
  await local(request, [...inside(request), "remote", "add", "origin", repository.href]);
  await fetchFrom(request, ["--depth", "1", "--filter=blob:none", "origin", ref]);
  const listing = await local(request, [...inside(request), "ls-tree", "-r", "-z", "FETCH_HEAD"]);
  const blobs = blobsOf(listing.toString());
  const links = blobs.filter(({ mode }) => mode === "120000");
  const targets = await readBlobs(request, links);
  return (isWanted) => readRepository(request, blobs, targets, isWanted);
}

async function readRepository(
  request: RepositoryRequest,
  blobs: readonly Blob[],
  targets: ReadonlyMap<string, Buffer>,
  isWanted: (path: string) => boolean,
): Promise<PackageContents> {
  const tree = createPackageTree(request.limits, isWanted);
  const wanted = blobs.flatMap((blob) => {
    const file = claim(tree, blob, targets);
    return file === undefined ? [] : [{ ...blob, file }];
  });
  const contents = await readBlobs(request, wanted);
  for (const { oid, path, mode, file } of wanted) {
    const data = contents.get(oid);
    if (data === undefined) throw failed(`fatal: ${path} is missing`);
    file.grow(data.length);
    file.finish(data, mode === "100755");
  }
  return tree.contents();
}

/** Claims the place of an entry; undefined if it is no file, or not to be read. */
function claim(
  tree: PackageTree,
  { mode, path, oid }: Blob,
  targets: ReadonlyMap<string, Buffer>,
): ClaimedFile | undefined {
  if (mode !== "120000" && mode !== "160000") return tree.claim(path);
  if (mode === "120000") tree.addLink(path, String(targets.get(oid)));
  else tree.leaveOut(path, refusedEntry("submodule", path, "is a submodule, which is not fetched"));
  return undefined;
}

interface Blob {
  mode: string;
  oid: string;
  path: string;
}

function blobsOf(listing: string): Blob[] {
  return listing.split("\0").flatMap((line) => {
    const [, mode, oid, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined || oid === undefined || path === undefined ? [] : [{ mode, oid, path }];
  });
}

/** The contents of blobs by their ids; those that the repository does not have yet are fetched first, all at once. */
async function readBlobs(request: RepositoryRequest, blobs: readonly Blob[]): Promise<Map<string, Buffer>> {
  const wanted = new Set(blobs.map(({ oid }) => oid));
  const found = new Map<string, Buffer>();
  if (wanted.size === 0) return found;
  const options = ["rev-list", "--objects", "--missing=print", "FETCH_HEAD"];
  const known = (await local(request, [...inside(request), ...options])).toString();
  const missing = [...known.matchAll(/^\?([0-9a-f]+)$/gm)].flatMap(([, oid = ""]) =>
    wanted.has(oid) ? oid : [],
  );
  if (missing.length > 0) {
    const flags = ["--no-write-fetch-head", "--filter=blob:none", "--stdin", "origin"];
    await fetchFrom(request, flags, missing.join("\n"));
  }
  const command = [...inside(request), "cat-file", "--batch"];
  const output = await local(request, command, [...wanted].join("\n"), tooMuchAtOnce);
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const [oid = "", type, size] = output.toString("latin1", at, end).split(" ");
    if (type !== "blob") throw failed(`fatal: the object ${oid} is missing`);
    found.set(oid, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return found;
}

const bareOf = ({ folder }: RepositoryRequest) => join(folder, "repository.git");
const inside = (request: RepositoryRequest) => ["--git-dir", bareOf(request)];

/** Runs git without a network. */
async function local(
  request: RepositoryRequest,
  command: readonly string[],
  input?: string,
  tooMuch = tooLarge,
): Promise<Buffer> {
  const { access, folder, signal, limits } = request;
  const maxBytes = limits.unpacked_bytes + limits.entries * 100;
  const base = { access, folder, plainHttp: false, signal, watch: async () => {} };
  return await runGit({ ...base, arguments: command, input, maxBytes, tooMuch: () => tooMuch(limits) });
}

/** Runs `git fetch` within the limits of time and size, through the guarded proxy. */
async function fetchFrom(
  request: RepositoryRequest,
  command: readonly string[],
  input?: string,
): Promise<void> {
  const { access, folder, limits, address } = request;
  const deadline = AbortSignal.timeout(limits.fetch_ms);
  const proxy = await request.openProxy?.();
  const flags = ["--quiet", "--no-tags", "--no-auto-maintenance", "--recurse-submodules=no"];
  try {
    await runGit({
      access,
      folder,
      proxyUrl: proxy?.url,
      plainHttp: address.repository.protocol === "http:",
      signal: AbortSignal.any([request.signal, deadline]),
      async watch() {
        if ((await sizeOf(bareOf(request))) > limits.archive_bytes) throw tooLarge(limits);
      },
      arguments: [...inside(request), "fetch", ...flags, ...command],
      input,
      maxBytes: 100_000,
      tooMuch: () => tooLarge(limits),
    });
  } catch (error) {
    if (!deadline.aborted || request.signal.aborted) throw error;
    const seconds = limits.fetch_ms / 1000;
    const message = `Fetching timed out after ${seconds} seconds. Nothing was installed; try again later.`;
    throw new PackageRefusal("timed_out", message, error);
  } finally {
    await proxy?.close();
  }
}

/** Bytes of all files below a folder; files that vanish meanwhile do not count. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await orUndefined(readdir(folder, { recursive: true, withFileTypes: true }), "ENOENT");
  let bytes = 0;
  for (const entry of entries?.filter((each) => each.isFile()) ?? [])
    bytes += (await orUndefined(stat(join(entry.parentPath, entry.name)), "ENOENT"))?.size ?? 0;
  return bytes;
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
  /** Its standard input. */
  input?: string | undefined;
  /** Whether unencrypted http is allowed. */
  plainHttp: boolean;
  signal: AbortSignal;
  /** Maximum output; more ends it with `tooMuch`. */
  maxBytes: number;
  tooMuch(): PackageRefusal;
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
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A process that ends early does not read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(run.input);
  let stopped: unknown;
  const stop = (reason: unknown) => {
    stopped ??= reason;
    killGroup(child);
  };
  const onAbort = () => stop(run.signal.reason);
  run.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setInterval(() => run.watch().catch(stop), everyMs);
  try {
    const { code, output, errors } = await ended(child, run, stop);
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
    // Blobs of a commit that is there already would otherwise count as there, too.
    "fetch.negotiationAlgorithm=noop",
    "protocol.version=2",
    "transfer.bundleURI=false",
    "submodule.recurse=false",
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
  { maxBytes, tooMuch }: Pick<GitRun, "maxBytes" | "tooMuch">,
  stop: (reason: unknown) => void,
): Promise<{ code: number | null; output: Buffer; errors: string }> {
  const output = new CapturedOutput(maxBytes);
  const errors = new CapturedOutput(maxErrorBytes);
  child.stdout?.on("data", (chunk: Buffer) => {
    output.add(chunk);
    if (output.truncated) stop(tooMuch());
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

function tooLarge({ archive_bytes }: PackageLimits): PackageRefusal {
  const message = `The repository is over ${archive_bytes / 1_000_000} MB. Nothing was installed; give the address of a folder in it, choose some of its skills (--only NAME,NAME), or give the address of a smaller archive.`;
  return new PackageRefusal("archive_too_large", message);
}

/** The last output of git, without the addresses of proxies. */
function failed(errors: string): PackageRefusal {
  const lines = errors.split("\n").filter((line) => /^(?:fatal|error|remote):/.test(line));
  const said = (lines.at(-1) ?? "it said nothing more").replace(/\bproxy\s+\S+/gi, "proxy").slice(0, 300);
  const message = `git could not fetch the repository (${said}). Nothing was installed; check the address and the branch.`;
  return new PackageRefusal("git_failed", message);
}

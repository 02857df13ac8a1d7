import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../base/error-text.ts";
import type { GitAddress } from "./git-address.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { PackageFile } from "./package-tree.ts";
import { readTar } from "./read-tar.ts";
import { type GitAccess, runGit, tooLarge } from "./run-git.ts";

export interface CloneRequest {
  address: GitAddress;
  access: GitAccess;
  /** Opens a guarded proxy for one clone, which refuses private addresses. Without it git connects by itself. */
  openProxy?: (() => Promise<{ url: string; close(): Promise<void> }>) | undefined;
  /** An empty folder that the caller removes. */
  folder: string;
  limits: PackageLimits;
  signal: AbortSignal;
}

/**
 * The files of the newest commit, or of a folder in it. Nothing is checked out: git writes them as a tar archive, which is
 * read like any other, so that links and names are judged in one place. Submodules are left out.
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
    const message = `The repository was not there after ${seconds} seconds. Nothing was installed; try again later.`;
    throw new PackageRefusal("timed_out", message, error);
  } finally {
    await proxy?.close();
  }
}

/** Bytes of all files below a folder; files that vanish meanwhile count nothing. */
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

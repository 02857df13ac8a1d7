import { mkdir, realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { errorCode } from "../base/error-text.ts";
import type { PackageSource } from "../core/skill/packages.ts";
import { safeFileName } from "../core/values/file-kind.ts";
import { contentKind } from "./archive-kind.ts";
import { type CloneRequest, cloneRepository } from "./clone-repository.ts";
import { gitAddress, webAddress } from "./git-address.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, shownName } from "./package-refusal.ts";
import { createPackageTree, type PackageFile } from "./package-tree.ts";
import { readFolder, readOneFile } from "./read-folder.ts";
import { readTar } from "./read-tar.ts";
import { readZip } from "./read-zip.ts";

/**
 * Fetches an archive over the web. It must guard the address it connects to and every redirect, never return more than `maxBytes` (it stops
 * and refuses instead), return the body unchanged (no text decoding), and treat a non-2xx status as a failure. `name` is the file name of
 * the answer or the last part of its address; `reason` is a sentence for a person. Rejects only on abort, with the signal's reason.
 */
type DownloadPackage = (
  url: string,
  options: { maxBytes: number; timeoutMs: number; signal: AbortSignal },
) => Promise<{ ok: true; data: Uint8Array; name: string } | { ok: false; reason: string }>;

export interface FetchAccess extends Pick<CloneRequest, "access" | "openProxy"> {
  download: DownloadPackage;
  limits: PackageLimits;
}

/** A package's files before anything is known about the skills in it. */
export interface FetchedPackage {
  /** Fallback name for a skill without a name. */
  name: string;
  files: readonly PackageFile[];
  /** It was a single flow file, not a folder of skills. */
  isFlow: boolean;
}

/** Fetches a package from its source; `folder` is an empty temporary one. @throws PackageRefusal; on abort, the reason. */
export async function fetchPackage(
  source: PackageSource,
  access: FetchAccess,
  folder: string,
  signal: AbortSignal,
): Promise<FetchedPackage> {
  if (source.kind === "upload") return await unpack(Buffer.from(source.data), source.name, access.limits);
  if (source.kind === "path") return await fromPath(source.path, access.limits, signal);
  const address = gitAddress(source.url);
  if (address === undefined) return await fromAddress(source.url, access, signal);
  await mkdir(folder, { recursive: true });
  const files = await cloneRepository({ ...access, address, folder, signal });
  const name = address.folder ?? address.repository.pathname.replace(/\.git\/?$/, "");
  return { name: plainName(name), files, isFlow: false };
}

async function fromPath(path: string, limits: PackageLimits, signal: AbortSignal): Promise<FetchedPackage> {
  try {
    const real = await realpath(path);
    const found = await stat(real);
    if (found.isDirectory()) {
      return { name: plainName(real), files: await readFolder(real, limits, signal), isFlow: false };
    }
    if (found.isFile()) return await unpack(await readOneFile(real, limits.archive_bytes), real, limits);
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof PackageRefusal || signal.aborted || code === undefined) throw error;
    const message = `${shownName(path)} cannot be read (${code}). Nothing was installed; check the path and its permissions.`;
    throw new PackageRefusal("unreadable", message, error);
  }
  throw new PackageRefusal("unreadable", `${shownName(path)} is neither a folder nor a file.`);
}

async function fromAddress(url: string, access: FetchAccess, signal: AbortSignal): Promise<FetchedPackage> {
  const { limits } = access;
  const options = { maxBytes: limits.archive_bytes, timeoutMs: limits.fetch_ms, signal };
  const fetched = await access.download(webAddress(url).href, options);
  signal.throwIfAborted();
  if (!fetched.ok) throw new PackageRefusal("download_failed", `${fetched.reason} Nothing was installed.`);
  return await unpack(Buffer.from(fetched.data), fetched.name, limits);
}

/** The content decides how the bytes are read; the name only serves as a name. */
async function unpack(data: Buffer, name: string, limits: PackageLimits): Promise<FetchedPackage> {
  if (data.length > limits.archive_bytes) {
    const message = `The archive has ${data.length} bytes; packages have at most ${limits.archive_bytes}. Nothing was installed.`;
    throw new PackageRefusal("archive_too_large", message);
  }
  const plain = plainName(name);
  switch (contentKind(data)) {
    case "zip":
      return { name: plain, files: await readZip(data, limits), isFlow: false };
    case "gzip":
      return { name: plain, files: await readTar(data, true, limits), isFlow: false };
    case "tar":
      return { name: plain, files: await readTar(data, false, limits), isFlow: false };
    case "text":
      return single(data, plain, limits);
    default: {
      const message = `${shownName(name)} is neither a ZIP nor a tar archive. Nothing was installed; pack the skill as .zip or .tar.gz.`;
      throw new PackageRefusal("unknown_format", message);
    }
  }
}

/** A SKILL.md or a flow file by itself. */
function single(data: Buffer, name: string, limits: PackageLimits): FetchedPackage {
  const start = data
    .toString("utf8", 0, 1000)
    .replace(/^\ufeff/, "")
    .trimStart();
  const isFlow = start.startsWith("{");
  if (!isFlow && !start.startsWith("---")) {
    const looksLikePage = /^<(?:!doctype|html)/i.test(start);
    throw new PackageRefusal(
      "unknown_format",
      looksLikePage
        ? "The address answers with a web page. Nothing was installed; for a git repository let the address end in .git."
        : `${shownName(name)} is neither an archive, a SKILL.md nor a flow. Nothing was installed.`,
    );
  }
  const tree = createPackageTree(limits);
  const file = tree.claim(isFlow ? `${name}.json` : "SKILL.md");
  file?.grow(data.length);
  file?.finish(data, false);
  return { name, files: tree.files, isFlow };
}

/** The last part of a path without the endings of archives: a name for a folder. */
function plainName(path: string): string {
  const last = basename(path.replaceAll("\\", "/")).replace(
    /\.(?:zip|skill|tgz|tar|tar\.gz|json|md|git)$/i,
    "",
  );
  return safeFileName(last).replace(/(?<![. ])[. ]+$/, "") || "package";
}

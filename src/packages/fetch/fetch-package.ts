import { mkdir, realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { looseText } from "../../base/decode-text.ts";
import { errorCode } from "../../base/error-text.ts";
import { safeFileName } from "../../base/file-kind.ts";
import { foreignDocument } from "../../base/foreign-document.ts";
import { parsedJson } from "../../base/json-reader.ts";
import type { OfferedSkill, PackageSource } from "../../core/skill/packages.ts";
import { contentKind } from "../archive-kind.ts";
import { isInstructionFile } from "../formats/foreign-formats.ts";
import type { PackageLimits } from "../package-limits.ts";
import { PackageRefusal, refusedSkill, shownName } from "../package-refusal.ts";
import { createPackageTree, type PackageTree, packagePath, type ReadPackage } from "../package-tree.ts";
import { listFolder, readOneFile } from "../read-folder.ts";
import { openRepository, type RepositoryRequest } from "./git-repository.ts";
import { packageAddress } from "./package-address.ts";
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

export interface FetchAccess extends Pick<RepositoryRequest, "access" | "openProxy"> {
  download: DownloadPackage;
  /** The skills that a tool server offers, or a sentence why there are none. */
  skillsOf(server: string, maxBytes: number, signal: AbortSignal): Promise<OfferedSkill[] | string>;
  limits: PackageLimits;
}

/** A package before anything is known about the skills in it. */
export interface FetchedPackage {
  /** Fallback name for a skill without a name. */
  name: string;
  /** The folder of it in which skills are looked for; links may lead to the rest of it. Default: all of it. */
  within?: string | undefined;
  read: ReadPackage;
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
  if (source.kind === "upload") return unpack(Buffer.from(source.data), source.name, access.limits);
  if (source.kind === "path") return await fromPath(source.path, access.limits, signal);
  const found = packageAddress(source.url);
  if (found.kind === "server") return await fromServer(found.server, access, signal);
  if (found.kind === "hub") return await fromHub(found.url, access, signal);
  if (found.kind === "download") return await fromAddress(found.url, access, signal);
  const { address } = found;
  await mkdir(folder, { recursive: true });
  const read = await openRepository({ ...access, address, folder, signal });
  const name = address.folder ?? address.repository.pathname.replace(/\.git\/?$/, "");
  return { name: plainName(name), within: address.folder, read, isFlow: false };
}

async function fromServer(
  server: string,
  { limits, skillsOf }: FetchAccess,
  signal: AbortSignal,
): Promise<FetchedPackage> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(limits.fetch_ms)]);
  const offered = await skillsOf(server, limits.unpacked_bytes, inTime);
  signal.throwIfAborted();
  if (typeof offered === "string")
    throw new PackageRefusal("download_failed", `${offered} Nothing was installed.`);
  const read: ReadPackage = async (isWanted) => {
    const tree = createPackageTree(limits, isWanted);
    for (const [at, skill] of offered.entries()) addOffered(tree, skill, at, limits);
    return tree.contents();
  };
  return { name: plainName(server), read, isFlow: false };
}

/** Adds a skill in a folder of its own: what is wrong with it keeps out no other. */
function addOffered(tree: PackageTree, skill: OfferedSkill, at: number, limits: PackageLimits): void {
  const folder = `${at + 1}/${plainName(skill.name)}`;
  try {
    if (skill.problem !== undefined) throw refusedSkill("not_verified", skill.problem);
    for (const { path } of skill.files) packagePath(`${folder}/${path}`, limits);
    for (const { path, data } of skill.files) tree.add(`${folder}/${path}`, data);
  } catch (error) {
    if (!(error instanceof PackageRefusal)) throw error;
    tree.add(
      `${folder}/SKILL.md`,
      Buffer.from(`---\nname: ${plainName(skill.name)}\ndescription: None\n---\n`),
    );
    tree.leaveOut(`${folder}/files`, error);
  }
}

async function fromPath(path: string, limits: PackageLimits, signal: AbortSignal): Promise<FetchedPackage> {
  const real = await readable(path, () => realpath(path));
  const found = await readable(path, () => stat(real));
  if (found.isDirectory()) {
    const read: ReadPackage = (isWanted) =>
      readable(path, () => listFolder(real, limits, signal, isWanted), signal);
    return { name: plainName(real), read, isFlow: false };
  }
  if (found.isFile()) {
    return unpack(await readable(path, () => readOneFile(real, limits.archive_bytes)), real, limits);
  }
  throw new PackageRefusal("unreadable", `${shownName(path)} is neither a folder nor a file.`);
}

/** @throws PackageRefusal where the system refuses to read */
async function readable<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof PackageRefusal || signal?.aborted === true || code === undefined) throw error;
    const message = `${shownName(path)} cannot be read (${code}). Nothing was installed; check the path and its permissions.`;
    throw new PackageRefusal("unreadable", message, error);
  }
}

async function fromAddress(url: string, access: FetchAccess, signal: AbortSignal): Promise<FetchedPackage> {
  const { data, name } = await downloaded(url, access, signal);
  return unpack(data, name, access.limits);
}

/** An item of AnythingLLM's hub: the address of an archive, or a flow. @throws PackageRefusal */
async function fromHub(url: string, access: FetchAccess, signal: AbortSignal): Promise<FetchedPackage> {
  const { data } = await downloaded(url, access, signal);
  const { data: item } = hubItem.safeParse(parsedJson(data.toString()));
  if (item?.url !== undefined) return await fromAddress(item.url, access, signal);
  const { flow, name = "flow" } = item?.item ?? {};
  if (flow !== undefined) return unpack(Buffer.from(flow), `${name}.json`, access.limits);
  const message =
    "AnythingLLM's hub gives no skill and no flow for this id: it is another kind of item, or not public. Nothing was installed; download the skill in AnythingLLM, and install its folder as an archive.";
  throw new PackageRefusal("download_failed", message);
}

/** The answer of the hub to a pull. */
const hubItem = z.object({
  url: z
    .url({ protocol: /^https$/ })
    .nullish()
    .transform((url) => url ?? undefined),
  item: z.looseObject({ flow: z.string().optional(), name: z.string().optional() }).optional(),
});

async function downloaded(url: string, { download, limits }: FetchAccess, signal: AbortSignal) {
  const options = { maxBytes: limits.archive_bytes, timeoutMs: limits.fetch_ms, signal };
  const fetched = await download(url, options);
  signal.throwIfAborted();
  if (!fetched.ok) throw new PackageRefusal("download_failed", `${fetched.reason} Nothing was installed.`);
  return { data: Buffer.from(fetched.data), name: fetched.name };
}

/** The content decides how the bytes are read; the name only serves as a name. */
function unpack(data: Buffer, name: string, limits: PackageLimits): FetchedPackage {
  if (data.length > limits.archive_bytes) {
    const message = `The archive has ${data.length} bytes; packages have at most ${limits.archive_bytes}. Nothing was installed.`;
    throw new PackageRefusal("archive_too_large", message);
  }
  const plain = plainName(name);
  const kind = contentKind(data);
  switch (kind) {
    case "zip":
      return { name: plain, read: (isWanted) => readZip(data, limits, isWanted), isFlow: false };
    case "gzip":
    case "tar": {
      const read: ReadPackage = (isWanted) => readTar(data, kind === "gzip", limits, isWanted);
      return { name: plain, read, isFlow: false };
    }
    case "text":
      return single(data, basename(name), limits);
    default: {
      const message = `${shownName(name)} is neither a ZIP nor a tar archive. Nothing was installed; pack the skill as .zip or .tar.gz.`;
      throw new PackageRefusal("unknown_format", message);
    }
  }
}

/** A SKILL.md or a flow file by itself. */
function single(data: Buffer, fileName: string, limits: PackageLimits): FetchedPackage {
  const name = plainName(fileName);
  const text = looseText(data);
  const start = text.slice(0, 1000).trimStart();
  const isFlow = start.startsWith("{");
  const foreign = foreignDocument(contentOf(text));
  if (foreign !== undefined) throw new PackageRefusal("other_format", `${foreign} Nothing was installed.`);
  const place = isFlow ? `${name}.json` : placeOf(fileName, text);
  if (place === undefined && !start.startsWith("---")) {
    const looksLikePage = /^<(?:!doctype|html)/i.test(start);
    throw new PackageRefusal(
      "unknown_format",
      looksLikePage
        ? "The address answers with a web page. Nothing was installed; for a git repository let the address end in .git."
        : `${shownName(fileName)} is neither an archive, a SKILL.md nor a flow. Nothing was installed.`,
    );
  }
  const read: ReadPackage = async (isWanted) => {
    const tree = createPackageTree(limits, isWanted);
    tree.add(place ?? "SKILL.md", data);
    return tree.contents();
  };
  return { name, read, isFlow };
}

/** Where a file that has a meaning by its name, or by keys that only agents or commands have, lies in a package; undefined for all others. */
function placeOf(fileName: string, text: string): string | undefined {
  const frontmatter = /^---\r?\n[\s\S]*?\n---/.exec(text.slice(0, 5_000))?.[0] ?? "";
  const kind = /^(?:tools|color):/m.test(frontmatter)
    ? "agents"
    : /^argument-hint:/m.test(frontmatter)
      ? "commands"
      : undefined;
  if (kind !== undefined && /(?<!^skill)\.md$/i.test(fileName))
    return `.claude/${kind}/${safeFileName(fileName)}`;
  if (/\.toml$/i.test(fileName)) return `.gemini/commands/${safeFileName(fileName)}`;
  if (isInstructionFile(fileName)) return fileName;
  return /\.mdc$/i.test(fileName) ? safeFileName(fileName) : undefined;
}

/** Larger YAML is not looked at, characters: reading it takes long. */
const maxYaml = 500_000;

/** The content of JSON, and of YAML in which a line says that it is of another program; undefined for all others. */
function contentOf(text: string): unknown {
  if (text.trimStart().startsWith("{")) return parsedJson(text);
  if (text.length > maxYaml && /^(?:openapi|swagger):/m.test(text.slice(0, 10_000))) return { openapi: true };
  if (text.length > maxYaml || !/^(?:openapi|swagger|kind|app|nodes|mcpServers):/m.test(text))
    return undefined;
  try {
    return parse(text, { logLevel: "silent" });
  } catch {
    return undefined;
  }
}

/** The last part of a path without the endings of archives: a name for a folder. */
function plainName(path: string): string {
  const last = basename(path.replaceAll("\\", "/")).replace(
    /\.(?:zip|skill|tgz|tar|tar\.gz|json|md|git)$/i,
    "",
  );
  return safeFileName(last).replace(/(?<![. ])[. ]+$/, "") || "package";
}

import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { zipNameFlags } from "../../base/decode-text.ts";
import type { PackageLimits } from "../package-limits.ts";
import { PackageRefusal, refusedEntry, shownName } from "../package-refusal.ts";
import {
  type ClaimedFile,
  createPackageTree,
  leavesPackage,
  type PackageContents,
  type PackageTree,
} from "../package-tree.ts";

/** Stored, deflated: the methods that yauzl reads. */
const methods = [0, 8];
/** The Unix file type in the upper half of an entry's attributes. */
const typeMask = 0o170000;
const regular = 0o100000;
const folder = 0o040000;
const link = 0o120000;
/** Maximum bytes of a link's target. */
const maxTarget = 4_096;

/**
 * The entries of a ZIP archive, and the wanted files. Its declared sizes are not trusted: the inflated bytes are counted, and must equal
 * the declared size.
 * @throws PackageRefusal
 */
export async function readZip(
  data: Buffer,
  limits: PackageLimits,
  isWanted: (path: string) => boolean,
): Promise<PackageContents> {
  const { fromBufferPromise, getFileNameLowLevel } = await import("yauzl");
  const tree = createPackageTree(limits, isWanted, data.length);
  let zip: ZipFile | undefined;
  try {
    zip = await fromBufferPromise(data, {
      lazyEntries: true,
      decodeStrings: false,
      validateEntrySizes: false,
    });
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = getFileNameLowLevel(
        zipNameFlags(generalPurposeBitFlag, fileNameRaw),
        fileNameRaw,
        extraFields,
        true,
      );
      await take(zip, entry, name, tree);
    }
    return tree.contents();
  } catch (error) {
    if (error instanceof PackageRefusal) throw error;
    throw new PackageRefusal(
      "broken_archive",
      "The ZIP archive is damaged and cannot be read to its end. Nothing was installed; pack it again.",
      error,
    );
  } finally {
    zip?.close();
  }
}

async function take(zip: ZipFile, entry: Entry, name: string, tree: PackageTree): Promise<void> {
  const type = (entry.externalFileAttributes >>> 16) & typeMask;
  if (type !== 0 && type !== regular && type !== folder && type !== link) {
    throw refusedEntry("special_file", name, "is a device or another special file");
  }
  if (name.endsWith("/") || type === folder) {
    tree.addFolder(name);
    return;
  }
  const unreadable = unreadableEntry(entry, name);
  if (unreadable !== undefined) {
    tree.leaveOut(name, unreadable);
    return;
  }
  if (type === link) {
    if (entry.uncompressedSize > maxTarget) throw leavesPackage(name, "a path that is too long");
    const target = await inflate(await zip.openReadStreamPromise(entry), entry, name, { grow: () => {} });
    tree.addLink(name, target.toString());
    return;
  }
  const file = tree.claim(name, entry.uncompressedSize);
  if (file === undefined) return;
  const content = await inflate(await zip.openReadStreamPromise(entry), entry, name, file);
  file.finish(content, ((entry.externalFileAttributes >>> 16) & 0o111) !== 0);
}

function unreadableEntry(entry: Entry, name: string): PackageRefusal | undefined {
  if (entry.isEncrypted()) {
    return refusedEntry("encrypted", name, "is encrypted, so that no review can see it");
  }
  if (!methods.includes(entry.compressionMethod)) {
    return refusedEntry("unknown_compression", name, "uses an unsupported compression method");
  }
  return undefined;
}

async function inflate(
  stream: Readable,
  entry: Entry,
  name: string,
  file: Pick<ClaimedFile, "grow">,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    file.grow(chunk.length);
    if (bytes > entry.uncompressedSize) throw lyingSize(name);
    chunks.push(chunk);
  }
  if (bytes !== entry.uncompressedSize) throw lyingSize(name);
  const content = Buffer.concat(chunks);
  if (crc32(content) !== entry.crc32) {
    const message = `The entry ${shownName(name)} is damaged (its checksum is wrong). Nothing was installed; pack it again.`;
    throw new PackageRefusal("broken_archive", message);
  }
  return content;
}

function lyingSize(name: string): PackageRefusal {
  return refusedEntry("lying_size", name, "has a different size than the archive declares");
}

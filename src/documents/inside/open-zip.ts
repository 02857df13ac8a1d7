import type { Readable } from "node:stream";
import type { Entry, ZipFile } from "yauzl";
import { zipNameFlags } from "../../base/decode-text.ts";
import type { ReadLimits } from "../read-limits.ts";
import { type OpenedDocument, UnreadableDocument } from "./opened-document.ts";

/** A file in a ZIP archive. */
interface ZipEntry {
  name: string;
  /** As the archive declares, which may be false. */
  bytes: number;
  encrypted: boolean;
}

/** A ZIP archive whose content is inflated only as far as the limits allow, whatever sizes it declares. */
export interface OpenZip {
  entries: readonly ZipEntry[];
  /** Whether there are more entries than the limit. */
  more: boolean;
  has(name: string): boolean;
  /**
   * The content of an entry; undefined if there is none of this name.
   * @throws UnreadableDocument when it is damaged, encrypted, declares a false size, or the total read so far exceeds the limit
   */
  read(name: string): Promise<Buffer | undefined>;
  /** The same, decoded as UTF-8. */
  text(name: string): Promise<string | undefined>;
  /** The chosen files. @throws UnreadableDocument as `read` does */
  files(choose: (name: string) => boolean): Promise<ReadonlyMap<string, Buffer>>;
}

/** Opens a ZIP archive and reads its directory. @throws UnreadableDocument when it is damaged */
export async function openZip(data: Buffer, limits: ReadLimits): Promise<OpenZip> {
  const { fromBufferPromise, getFileNameLowLevel } = await import("yauzl");
  const entries = new Map<string, Entry>();
  let zip: ZipFile;
  let more = false;
  try {
    zip = await fromBufferPromise(data, { lazyEntries: true, decodeStrings: false, autoClose: false });
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      more = entries.size >= limits.entries;
      if (more) break;
      entries.set(
        getFileNameLowLevel(
          zipNameFlags(generalPurposeBitFlag, fileNameRaw),
          fileNameRaw,
          extraFields,
          false,
        ),
        entry,
      );
    }
  } catch {
    throw damaged();
  }
  const inflated = { bytes: 0 };
  const read = async (name: string) => {
    const entry = entries.get(name);
    return entry === undefined ? undefined : inflate(zip, entry, inflated, limits);
  };
  return {
    entries: [...entries].map(([name, entry]) => ({
      name,
      bytes: entry.uncompressedSize,
      encrypted: entry.isEncrypted(),
    })),
    more,
    has: (name) => entries.has(name),
    read,
    text: async (name) => (await read(name))?.toString("utf8"),
    async files(choose) {
      const chosen = [...entries].filter(([name]) => choose(name) && !name.endsWith("/"));
      const declared = chosen.reduce((sum, [, entry]) => sum + entry.uncompressedSize, 0);
      refuseTooLarge(inflated.bytes + declared, limits);
      const files = new Map<string, Buffer>();
      for (const [name, entry] of chosen) files.set(name, await inflate(zip, entry, inflated, limits));
      return files;
    },
  };
}

/** Files as an archive without compression, for libraries that trust the sizes an archive declares. */
export async function storedArchive(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { zipSync } = await import("fflate");
  return zipSync(Object.fromEntries(files), { level: 0 });
}

/** Opens a document that is a ZIP archive. @throws UnreadableDocument also when it has more parts than the limit */
export async function openParts({ data, limits }: OpenedDocument): Promise<OpenZip> {
  const zip = await openZip(data, limits);
  if (!zip.more) return zip;
  throw new UnreadableDocument(`It consists of more than ${limits.entries} parts and is not unpacked.`);
}

async function inflate(
  zip: ZipFile,
  entry: Entry,
  inflated: { bytes: number },
  limits: ReadLimits,
): Promise<Buffer> {
  if (entry.isEncrypted())
    throw new UnreadableDocument("It is protected with a password; remove it and send it again.");
  refuseTooLarge(inflated.bytes + entry.uncompressedSize, limits);
  const chunks: Buffer[] = [];
  try {
    // Also fails when more or fewer bytes arrive than were declared.
    const stream: Readable = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      inflated.bytes += chunk.length;
      refuseTooLarge(inflated.bytes, limits);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof UnreadableDocument ? error : damaged();
  }
  return Buffer.concat(chunks);
}

function refuseTooLarge(bytes: number, { unpackedBytes }: ReadLimits): void {
  if (bytes <= unpackedBytes) return;
  throw new UnreadableDocument(
    `Unpacked it is larger than ${Math.round(unpackedBytes / 1_000_000)} MB and is not read; send the part that matters.`,
  );
}

function damaged(): UnreadableDocument {
  return new UnreadableDocument("It is damaged or incomplete and cannot be unpacked; send it again.");
}

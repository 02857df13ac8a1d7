import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Parser, ReadEntry } from "tar";
import type { PackageLimits } from "../package-limits.ts";
import { PackageRefusal, refusedEntry } from "../package-refusal.ts";
import {
  createPackageTree,
  expandsTooMuch,
  type PackageContents,
  type PackageTree,
} from "../package-tree.ts";

const fileTypes = ["File", "OldFile", "ContiguousFile"];
const folderTypes = ["Directory", "GNUDumpDir"];
/** Bytes of headers and padding that pack to almost nothing. */
const tarOverhead = 20_000_000;
const chunkBytes = 65_536;

/** The entries of a tar archive, gzipped or not, and the wanted files. @throws PackageRefusal */
export async function readTar(
  data: Buffer,
  gzipped: boolean,
  limits: PackageLimits,
  isWanted: (path: string) => boolean,
): Promise<PackageContents> {
  const { Parser } = await import("tar");
  const tree = createPackageTree(limits, isWanted, gzipped ? data.length : undefined);
  // The parser ignores errors thrown in its callbacks, or they end the process: so they are kept and checked later.
  let refusal: PackageRefusal | undefined;
  const refuse = (error: unknown) => {
    refusal ??= error instanceof PackageRefusal ? error : broken(error);
  };
  const parser = new Parser({ maxMetaEntrySize: 65_536 } as object);
  parser.on("entry", (entry: ReadEntry) => take(entry, tree, refuse));
  parser.on("ignoredEntry", (entry: ReadEntry) => refuse(special(entry.path)));
  parser.on("warn", (_code: string, message: unknown) => refuse(broken(message)));
  parser.on("error", refuse);
  try {
    await feed(parser, data, gzipped, limits, () => refusal);
  } catch (error) {
    refuse(error);
  }
  if (refusal !== undefined) throw refusal;
  return tree.contents();
}

async function feed(
  parser: Parser,
  data: Buffer,
  gzipped: boolean,
  limits: PackageLimits,
  refusal: () => PackageRefusal | undefined,
): Promise<void> {
  const pieces = Readable.from(chunksOf(data), { objectMode: false });
  let bytes = 0;
  const consume = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > limits.scanned_bytes) throw tooLarge(limits);
      if (bytes > data.length * limits.expansion + tarOverhead) throw expandsTooMuch(limits);
      parser.write(chunk);
      const stop = refusal();
      if (stop !== undefined) throw stop;
    }
  };
  if (gzipped) await pipeline(pieces, createGunzip(), consume);
  else await pipeline(pieces, consume);
  const ended = new Promise<void>((resolve) => parser.once("end", resolve));
  parser.end();
  await ended;
}

function* chunksOf(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
}

function take(entry: ReadEntry, tree: PackageTree, refuse: (error: unknown) => void): void {
  try {
    const { path, type, linkpath = "" } = entry;
    if (type === "SymbolicLink") tree.addLink(path, linkpath);
    else if (type === "Link") tree.addLink(path, linkpath, "");
    else if (folderTypes.includes(type)) tree.addFolder(path);
    else if (fileTypes.includes(type)) collect(entry, tree, refuse);
    else throw special(path);
  } catch (error) {
    refuse(error);
  }
  entry.resume();
}

function collect(entry: ReadEntry, tree: PackageTree, refuse: (error: unknown) => void): void {
  const file = tree.claim(entry.path, entry.size);
  if (file === undefined) return;
  const chunks: Buffer[] = [];
  const executable = ((entry.mode ?? 0) & 0o111) !== 0;
  let failed = false;
  const attempt = (work: () => void) => {
    if (failed) return;
    try {
      work();
    } catch (error) {
      failed = true;
      chunks.length = 0;
      refuse(error);
    }
  };
  entry.on("data", (chunk: Buffer) => {
    attempt(() => {
      file.grow(chunk.length);
      chunks.push(chunk);
    });
  });
  entry.on("end", () => attempt(() => file.finish(Buffer.concat(chunks), executable)));
}

function special(path: string): PackageRefusal {
  return refusedEntry("special_file", path, "is a device, a pipe or another special file");
}

function tooLarge({ scanned_bytes }: PackageLimits): PackageRefusal {
  const message = `Unpacked it is over ${scanned_bytes / 1_000_000} MB. Nothing was installed. Remove what the skills do not need.`;
  return new PackageRefusal("too_large", message);
}

function broken(cause: unknown): PackageRefusal {
  return new PackageRefusal(
    "broken_archive",
    "The tar archive is damaged and cannot be read to its end. Nothing was installed; pack it again.",
    cause,
  );
}

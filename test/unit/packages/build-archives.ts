import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  data?: string | Buffer;
  /** Unix mode with its type, e.g. 0o120777 for a link. */
  mode?: number;
  /** What the directory says the unpacked size is. */
  declared?: number;
  /** Of the general purpose flags: 1 is encrypted, 0x800 UTF-8. */
  flags?: number;
  method?: number;
  crc?: number;
}

/** A ZIP archive as it is asked for, however wrong. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const data = Buffer.from(entry.data ?? "");
    const method = entry.method ?? 8;
    const packed = method === 8 ? deflateRawSync(data, { level: 9 }) : data;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0x800, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(entry.crc ?? crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.declared ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("504b0102", "hex"), Buffer.from([20, 3]), common, rest, name]));
    bodies.push(local);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("504b0506", 0, "hex");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listing, end]);
}

export interface TarEntry {
  name: string;
  data?: string | Buffer;
  /** `0` file, `1` hard link, `2` symbolic link, `3` and `4` devices, `5` folder, `6` pipe. */
  type?: string;
  link?: string;
  mode?: number;
}

/** A tar archive, not compressed. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, data = "", type = "0", link = "", mode = 0o644 }) => {
    const body = Buffer.from(data);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write(link, 157, 100);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export function tgzOf(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tarOf(entries));
}

/** The text of a SKILL.md. */
export function skillText(name: string, body = "Say hello.", more = ""): string {
  return `---\nname: ${name}\ndescription: Greets people.\n${more}---\n\n${body}\n`;
}

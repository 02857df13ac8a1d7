import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Adobe's predefined character maps (ISO 32000-1, 9.7.5.2) in the binary form of pdf.js, stored in a ZIP archive that Brotli packs. */
const packed = new URL("./character-maps.zip.br", import.meta.url);

/** Gives pdf.js the maps that it asks for by name: without them, letters of Chinese, Japanese and Korean fonts are left out. */
export class CharacterMaps {
  #archive: Promise<Uint8Array> | undefined;

  /** @throws an error for a name that is none of theirs: other data of pdf.js is not shipped */
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    this.#archive ??= readFile(packed).then(promisify(brotliDecompress));
    const archive = await this.#archive;
    const { unzipSync } = await import("fflate");
    const content = unzipSync(archive, { filter: ({ name }) => name === filename })[filename];
    if (content === undefined) throw new Error(`There is no character map ${filename}.`);
    return content;
  }
}

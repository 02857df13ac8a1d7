import { type ScriptFile, scriptFileLimits } from "../core/scripts.ts";

/** Part of a file as the process of a skill sends it. */
interface FilePiece {
  name: string;
  /** Base64. */
  data: string;
  last: boolean;
}

/** The files of a call, as `handOverFiles` takes them; empty when it left none. */
export interface FoundFiles {
  files?: readonly ScriptFile[];
  files_left_out?: string;
}

/** The files one call left, put together from what its process sends; untrusted, so all is counted and names are checked. */
export class LeftFiles {
  readonly #files: ScriptFile[] = [];
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isFull = false;

  /** A piece without a name says that more was left than the process sends. */
  add({ name, data, last }: FilePiece): void {
    const piece = Buffer.from(data, "base64");
    this.#bytes += piece.length;
    const { files, bytes } = scriptFileLimits;
    this.#isFull ||= name === "" || this.#bytes > bytes || this.#files.length >= files;
    if (this.#isFull) return void this.#pieces.splice(0);
    this.#pieces.push(piece);
    if (!last) return;
    if (isNameWithin(name)) this.#files.push({ name, data: Buffer.concat(this.#pieces) });
    this.#pieces = [];
  }

  found(): FoundFiles {
    const { files, bytes } = scriptFileLimits;
    const limits = `${files} files or ${Math.round(bytes / 1_000_000)} MB`;
    return {
      ...(this.#files.length === 0 ? {} : { files: this.#files }),
      ...(this.#isFull
        ? { files_left_out: `It left more than ${limits}; what was beyond that was not kept.` }
        : {}),
    };
  }
}

function isNameWithin(name: string): boolean {
  const parts = name.split("/");
  return !parts.some((part) => part === "" || part === "." || part === "..") && !/[\0\\]/.test(name);
}

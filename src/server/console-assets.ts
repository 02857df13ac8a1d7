import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createImportMap, isForBrowsers, packageFile, stripTypes } from "./browser-modules.ts";

/** One file as a browser gets it. */
export interface Asset {
  body: string | Uint8Array<ArrayBuffer>;
  /** The media type. */
  type: string;
  /** Quoted, from the content. */
  etag: string;
}

/** The files of the console. */
export interface Assets {
  /** The page at `/`; undefined without a console. */
  page(): Promise<Asset | undefined>;
  /** A file by its path below `/assets/`. Undefined for one that does not exist or is not for browsers. */
  file(path: string): Promise<Asset | undefined>;
  /** The hashes (`sha256-…`) of the page's inline scripts, for the content security policy. */
  scriptHashes(): readonly string[];
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".ts": "text/javascript; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Where the page's import map goes. */
const placeholder = "<!-- importmap -->";

/** Paths in `src` that browsers may load: the console, and modules it shares with the bot. The only dot is before the extension. */
const shared =
  /^(?:console\/(?:[\w-]+\/)*[\w-]+\.(?:ts|css|svg|png)|(?:base|client|core\/[\w-]+)\/[\w-]+\.ts)$/;

/**
 * Serves the console from its source files, TypeScript without its types. A file is read on the first request, and again when it has
 * changed. `source` is the folder that contains `console`, `client`, `core` and `base`.
 */
export function loadConsoleAssets(source = fileURLToPath(new URL("..", import.meta.url))): Assets {
  const importMap = createImportMap();
  const cache = new Map<string, { changed: number; asset: Asset | undefined }>();

  async function load(file: string): Promise<Asset | undefined> {
    const entry = await stat(file).catch(() => undefined);
    if (!entry?.isFile()) return undefined;
    const cached = cache.get(file);
    if (cached?.changed === entry.mtimeMs) return cached.asset;
    const asset = await read(file, importMap.element);
    cache.set(file, { changed: entry.mtimeMs, asset });
    return asset;
  }

  return {
    page: () => load(path.join(source, "console", "index.html")),
    async file(request) {
      if (shared.test(request)) return load(path.join(source, request));
      const file = request.startsWith("vendor/") ? packageFile(request.slice("vendor/".length)) : undefined;
      return file === undefined ? undefined : load(file);
    },
    scriptHashes: () => [importMap.hash],
  };
}

async function read(file: string, importMap: string): Promise<Asset | undefined> {
  const bytes = await readFile(file);
  const extension = path.extname(file);
  const body = bodyOf(extension, bytes, importMap);
  if (body === undefined) return undefined;
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return { body, type: mediaTypes[extension] ?? "application/octet-stream", etag };
}

function bodyOf(extension: string, bytes: Buffer<ArrayBuffer>, importMap: string): Asset["body"] | undefined {
  if (extension === ".html") return bytes.toString("utf8").replace(placeholder, () => importMap);
  if (extension !== ".ts") return new Uint8Array(bytes);
  const javascript = stripTypes(bytes.toString("utf8"));
  return isForBrowsers(javascript) ? javascript : undefined;
}

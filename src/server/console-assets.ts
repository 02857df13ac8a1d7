import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { bundlePage, type PageBundle, pageName } from "./bundle-page.ts";
import { found } from "./routes/route-parts.ts";

/** One file as a browser gets it. */
interface Asset {
  body: string;
  /** The media type. */
  type: string;
}

/** The files of the console. */
export type Assets = ReturnType<typeof loadConsoleAssets>;

const mediaTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".map": "application/json",
  ".svg": "image/svg+xml",
};

/** Names of files that the page loads: a hash, and no folder. */
const hashedName = /^[\w-]+-[\w-]{8}(?:\.\w+)+$/;

/** Reads a file of a bundle; undefined when it does not exist. */
type ReadFile = (name: string) => Promise<string | undefined>;

/**
 * Serves the console. A build of the bot has its bundle (`.ci/build.ts`). The sources have the page without a bundle, which is made on the
 * first request for the page, and again when a source has changed.
 */
export function loadConsoleAssets(page = fileURLToPath(new URL("../console/console.html", import.meta.url))) {
  const read = path.basename(page) === pageName ? fromBundle(path.dirname(page)) : fromSources(page);
  const load = async (name: string): Promise<Asset | undefined> => {
    const body = await read(name);
    return body === undefined ? undefined : { body, type: mediaTypes[path.extname(name)] ?? "text/plain" };
  };
  return {
    /** The page at `/`; undefined without a console. */
    page: () => load(pageName),
    /** A file that the page loads, by its path below `/assets/`. Its content never changes. Undefined for one that does not exist. */
    file: async (name: string) => (hashedName.test(name) ? load(name) : undefined),
  };
}

function fromBundle(folder: string): ReadFile {
  return (name) => readFile(path.join(folder, name), "utf8").catch(() => undefined);
}

function fromSources(page: string): ReadFile {
  let made: { bundle: PageBundle; began: number } | undefined;
  return async (name) => {
    if (name === pageName && (made === undefined || (await isAnyNewer(made.bundle.sources, made.began)))) {
      const began = Date.now();
      made = { bundle: await bundlePage(page), began };
    }
    return made?.bundle.files.get(name);
  };
}

/** Times of files lag behind the clock by this much, ms. */
const timeResolution = 20;

/** Whether a file has changed since a time, ms since the epoch, or is gone. */
async function isAnyNewer(files: readonly string[], time: number): Promise<boolean> {
  const found = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return found.some((each) => each === undefined || each.ctimeMs > time - timeResolution);
}

/** The console's page, which browsers revalidate each time, and its files, which they keep: their names change with their content. */
export function addConsoleRoutes(server: OpenAPIHono, assets: Assets): void {
  server.get("/", etag(), async (context) =>
    send(context, found(await assets.page(), "console here"), "no-cache"),
  );
  server.get("/assets/*", compress(), async (context) => {
    const name = context.req.path.slice("/assets/".length);
    const asset = found(await assets.file(name), `file ${name.slice(0, 200)}`);
    return send(context, asset, "max-age=31536000, immutable");
  });
}

function send(context: Context, { body, type }: Asset, caching: string): Response {
  return context.body(body, 200, { "Content-Type": type, "Cache-Control": caching });
}

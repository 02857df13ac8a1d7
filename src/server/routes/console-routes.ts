import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { etag } from "hono/etag";
import type { Asset, Assets } from "../console-assets.ts";
import { found } from "./route-parts.ts";

/**
 * The console's page and files. Browsers revalidate them each time and mostly get 304: modules import each other by plain names, so a name
 * cannot carry a version.
 */
export function addConsoleRoutes(server: OpenAPIHono, assets: Assets): void {
  server.get("/", etag(), async (context) => send(context, found(await assets.page(), "console here")));
  server.get("/assets/*", etag(), async (context) => {
    const path = context.req.path.slice("/assets/".length);
    return send(context, found(await assets.file(path), `file ${path.slice(0, 200)}`));
  });
}

function send(context: Context, asset: Asset): Response {
  return context.body(asset.body, 200, {
    "Content-Type": asset.type,
    "Cache-Control": "no-cache",
    ETag: asset.etag,
  });
}

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import type { Asset, Assets } from "../console-assets.ts";
import { found } from "./route-parts.ts";

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

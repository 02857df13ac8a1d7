import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { ServerDependencies } from "../dependencies.ts";
import { found, problems, turnParams } from "./route-parts.ts";

const file = createRoute({
  method: "get",
  path: "/turns/{id}/files/{name}",
  summary: "A file of a turn",
  request: { params: turnParams.extend({ name: z.string().min(1).max(300) }) },
  responses: {
    200: {
      description: "its bytes; pictures can be shown, anything else is a download",
      content: {
        "application/octet-stream": { schema: z.any().openapi({ type: "string", format: "binary" }) },
      },
    },
    ...problems,
  },
});

/** Formats browsers only draw. Anything else, SVG and HTML above all, could run in the console's name. */
const drawn = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function addFileRoutes(server: OpenAPIHono, { app }: ServerDependencies): void {
  server.openapi(file, async (context) => {
    const { id, name } = context.req.valid("param");
    const { data, media_type } = found(await app.file(id, name), `file ${name.slice(0, 200)} in turn ${id}`);
    const disposition = drawn.has(media_type) ? "inline" : "attachment";
    return context.body(Uint8Array.from(data), 200, {
      "Content-Type": media_type,
      "Content-Disposition": `${disposition}; ${fileNames(name)}`,
      "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
    });
  });
}

/** RFC 6266: a plain name for old clients, and the real one. */
function fileNames(name: string): string {
  const plain = name.replace(/[^\w. -]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

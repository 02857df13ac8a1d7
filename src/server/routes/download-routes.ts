import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { ExportRecord } from "../../app/services/export-data.ts";
import type { Log } from "../../core/ports/storage.ts";
import { namespaceSchema } from "../../core/values/place.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
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

const attachment = createRoute({
  method: "get",
  path: "/turns/{id}/attachments/{number}",
  summary: "A file that came with a turn's message",
  request: {
    params: turnParams.extend({ number: z.coerce.number().int().min(0).max(100).describe("from 0") }),
  },
  responses: file.responses,
});

const exported = createRoute({
  method: "get",
  path: "/export",
  summary: "Everything stored of a channel, or of all of them, as JSON lines",
  request: { query: z.object({ namespace: namespaceSchema.optional() }) },
  responses: {
    200: {
      description: "one JSON object a line; the last has the type export_finished",
      content: { "application/x-ndjson": { schema: z.any().openapi({ type: "string" }) } },
    },
    ...problems,
  },
});

/** Formats that browsers only draw. Others, above all SVG and HTML, could run scripts with the console's rights. */
const drawn = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Routes that answer with bytes instead of JSON. */
export function addDownloadRoutes(server: OpenAPIHono, { app, logger }: ServerDependencies): void {
  server.openapi(file, async (context) => {
    const { id, name } = context.req.valid("param");
    const { data, media_type } = found(await app.file(id, name), `file ${name.slice(0, 200)} in turn ${id}`);
    return context.body(Uint8Array.from(data), 200, fileHeaders(name, media_type));
  });

  server.openapi(attachment, async (context) => {
    const { id, number } = context.req.valid("param");
    const what = `attachment ${number} in turn ${id}`;
    const { name, data, media_type } = found(await app.attachment(id, number), what);
    return context.body(Uint8Array.from(data), 200, fileHeaders(name, media_type));
  });

  server.openapi(exported, async (context) => {
    const { namespace } = context.req.valid("query");
    const lines = jsonLines(resultOf(await app.exportData(namespace)), logger);
    // The types of the router treat every media type with "json" in its name as one document.
    return context.body(ReadableStream.from(lines), 200, { "Content-Type": "application/x-ndjson" }) as never;
  });
}

function fileHeaders(name: string, mediaType: string): Record<string, string> {
  const disposition = drawn.has(mediaType) ? "inline" : "attachment";
  return {
    "Content-Type": mediaType,
    "Content-Disposition": `${disposition}; ${fileNames(name)}`,
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
  };
}

/** RFC 6266: a plain name for old clients, and the real one. */
function fileNames(name: string): string {
  const plain = name.replace(/[^\w. -]/g, "_");
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, escaped);
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Reads each record after the previous one was taken. A failure cuts the export off, so its last record is missing. */
async function* jsonLines(
  records: AsyncIterable<ExportRecord>,
  logger: Pick<Log, "error">,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  try {
    for await (const record of records) yield encoder.encode(`${JSON.stringify(record)}\n`);
  } catch (error) {
    logger.error({ err: error }, "An export was cut off");
    throw error;
  }
}

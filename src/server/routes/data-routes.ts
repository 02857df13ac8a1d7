import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { ExportRecord } from "../../app/services/export-data.ts";
import { namespaceSchema } from "../../core/place.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import type { ServerLogger } from "../server-logger.ts";
import { problems } from "./route-parts.ts";

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

export function addDataRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app, logger } = dependencies;
  server.openapi(exported, async (context) => {
    const { namespace } = context.req.valid("query");
    const lines = jsonLines(resultOf(await app.exportData(namespace)), logger);
    // The types of the router take every media type with "json" in its name for one document.
    return context.body(ReadableStream.from(lines), 200, { "Content-Type": "application/x-ndjson" }) as never;
  });
}

/** One record is read when the one before it has been taken. A failure cuts the export off, which then has no last record. */
async function* jsonLines(
  records: AsyncIterable<ExportRecord>,
  logger: ServerLogger,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  try {
    for await (const record of records) yield encoder.encode(`${JSON.stringify(record)}\n`);
  } catch (error) {
    logger.error({ err: error }, "An export was cut off");
    throw error;
  }
}

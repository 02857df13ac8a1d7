import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { ExportRecord } from "../../app/services/export-data.ts";
import { namespaceSchema } from "../../core/place.ts";
import { apiAuthor } from "../api-author.ts";
import { forgottenPerson } from "../data-schemas.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import type { ServerLogger } from "../server-logger.ts";
import { answers, consoleNamespace, problems } from "./route-parts.ts";

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

const personParams = z.object({
  id: z.string().min(1).max(300).describe("a user id of a platform, or platform:workspace:id"),
});

const look = createRoute({
  method: "get",
  path: "/people/{id}",
  summary: "What is stored of a person; changes nothing",
  request: { params: personParams },
  responses: answers(forgottenPerson, "what would be deleted"),
});

const forget = createRoute({
  method: "delete",
  path: "/people/{id}",
  summary: "Delete everything that is stored of a person",
  request: {
    params: personParams,
    query: z.object({
      user: z.string().min(1).max(200).default("operator"),
      leave_posts: z
        .enum(["true", "false"])
        .default("false")
        .describe("whether answers that the bot posted may stay on the platform"),
    }),
  },
  responses: answers(forgottenPerson, "what was deleted, and what is left"),
});

export function addDataRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app, logger } = dependencies;
  const askerNamed = (user: string) => ({ by: apiAuthor(user, dependencies), namespace: consoleNamespace });

  server.openapi(exported, async (context) => {
    const { namespace } = context.req.valid("query");
    const lines = jsonLines(resultOf(await app.exportData(namespace)), logger);
    // The types of the router take every media type with "json" in its name for one document.
    return context.body(ReadableStream.from(lines), 200, { "Content-Type": "application/x-ndjson" }) as never;
  });

  server.openapi(look, async (context) => {
    const { id } = context.req.valid("param");
    return context.json(resultOf(await app.forgetPerson(id, askerNamed("operator"), { dryRun: true })), 200);
  });

  server.openapi(forget, async (context) => {
    const { id } = context.req.valid("param");
    const { user, leave_posts } = context.req.valid("query");
    const options = { leavePosts: leave_posts === "true" };
    return context.json(resultOf(await app.forgetPerson(id, askerNamed(user), options)), 200);
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

import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { ServerDependencies } from "../dependencies.ts";
import { streamEvents } from "../event-stream.ts";
import * as schemas from "../schemas.ts";
import { namespaceParams, problems } from "./route-parts.ts";

const events = createRoute({
  method: "get",
  path: "/namespaces/{ns}/events",
  summary: "Everything that happens in a channel from now on, live",
  request: { params: namespaceParams },
  responses: {
    200: {
      description: "one feed item as JSON per message; not resumable",
      content: { "text/event-stream": { schema: schemas.feedItem } },
    },
    ...problems,
  },
});

export function addNamespaceRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  server.openapi(events, async (context) => {
    const { ns } = context.req.valid("param");
    return streamEvents(context, {
      ...dependencies,
      open: (signal) => app.watch(ns, signal),
      message: (item) => ({ data: JSON.stringify(item) }),
      complete: false,
    });
  });
}

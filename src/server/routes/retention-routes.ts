import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import { retentionReport, retentionRequest, retentionStatus } from "../retention-schemas.ts";
import { answers, consoleNamespace, jsonBody } from "./route-parts.ts";

const status = createRoute({
  method: "get",
  path: "/retention",
  summary: "How long things are kept, and from when on old data is deleted",
  responses: answers(retentionStatus, "the policy"),
});

const run = createRoute({
  method: "post",
  path: "/retention",
  summary: "Count old data, or delete it now",
  request: { body: jsonBody(retentionRequest) },
  responses: answers(retentionReport, "what was deleted, or would be"),
});

export function addRetentionRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;

  server.openapi(status, async (context) => context.json(await app.retention.status(), 200));

  server.openapi(run, async (context) => {
    const { dry_run: dryRun, user } = context.req.valid("json");
    const asker = { by: apiAuthor(user, dependencies), namespace: consoleNamespace };
    return context.json(resultOf(await app.retention.run({ dryRun }, asker)), 200);
  });
}

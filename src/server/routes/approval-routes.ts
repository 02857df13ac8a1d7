import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import * as schemas from "../schemas.ts";
import { answers, jsonBody } from "./route-parts.ts";

const approvalParams = z.object({
  id: z.string().min(1).max(320).describe("`approval_id` of an approval_requested event"),
});

const decide = createRoute({
  method: "post",
  path: "/approvals/{id}",
  summary: "Approve or refuse what a tool asked for",
  request: { params: approvalParams, body: jsonBody(schemas.approvalRequest) },
  responses: answers(schemas.decided, "whether this decided it"),
});

export function addApprovalRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  server.openapi(decide, async (context) => {
    const { id } = context.req.valid("param");
    const { approve, always, turn, user } = context.req.valid("json");
    const verdict = approve && always ? "always" : approve && turn ? "turn" : approve;
    return context.json(resultOf(await app.approve(id, verdict, apiAuthor(user, dependencies))), 200);
  });
}

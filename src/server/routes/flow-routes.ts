import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import * as flows from "../flow-schemas.ts";
import { resultOf } from "../http-problem.ts";
import { answers, jsonBody, namespaceQuery } from "./route-parts.ts";

const list = createRoute({
  method: "get",
  path: "/flows",
  summary: "All flows, as they are in a channel",
  request: { query: namespaceQuery },
  responses: answers(flows.flowList, "flows, and what could not be loaded"),
});

const runText = createRoute({
  method: "post",
  path: "/flows/run",
  summary: "Run a flow that is in no folder of the bot",
  request: { body: jsonBody(flows.flowTextRequest) },
  responses: answers(flows.flowResult, "what it answered; success is false when it failed"),
});

const run = createRoute({
  method: "post",
  path: "/flows/{id}/run",
  summary: "Run a flow outside of a conversation, or tell what it would do",
  request: {
    params: z.object({ id: z.string().min(1).max(200).describe("a flow's id or name") }),
    body: jsonBody(flows.flowRunRequest),
  },
  responses: answers(flows.flowResult, "what it answered; success is false when it failed"),
});

export function addFlowRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  server.openapi(list, async (context) =>
    context.json(await app.flows.list(context.req.valid("query").namespace), 200),
  );

  server.openapi(runText, async (context) => {
    const { flow, name, user, ...asked } = context.req.valid("json");
    const by = apiAuthor(user, dependencies, asked.namespace);
    return context.json(resultOf(await app.flows.runText(flow, name, { ...asked, by })), 200);
  });

  server.openapi(run, async (context) => {
    const { user, ...asked } = context.req.valid("json");
    const by = apiAuthor(user, dependencies, asked.namespace);
    const { id } = context.req.valid("param");
    return context.json(resultOf(await app.flows.run(id, { ...asked, by })), 200);
  });
}

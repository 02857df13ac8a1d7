import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import * as packages from "../package-schemas.ts";
import { answers, consoleNamespace, jsonBody, skillParams } from "./route-parts.ts";

const grant = createRoute({
  method: "post",
  path: "/skills/{id}/grant",
  summary: "Let the code of a skill reach hosts, in every channel",
  request: { params: skillParams, body: jsonBody(packages.grantRequest) },
  responses: answers(packages.networkGrant, "what it may reach now"),
});

const revoke = createRoute({
  method: "post",
  path: "/skills/{id}/revoke",
  summary: "Take hosts back from a skill",
  request: { params: skillParams, body: jsonBody(packages.revokeRequest) },
  responses: answers(packages.networkGrant, "what it may reach now"),
});

export function addNetworkRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  const askerNamed = (user: string) => ({
    by: apiAuthor(user, dependencies),
    namespace: consoleNamespace,
  });

  server.openapi(grant, async (context) => {
    const { id } = context.req.valid("param");
    const { hosts, user } = context.req.valid("json");
    return context.json(resultOf(await app.grants.grant(id, hosts, askerNamed(user))), 200);
  });

  server.openapi(revoke, async (context) => {
    const { id } = context.req.valid("param");
    const { hosts, user } = context.req.valid("json");
    return context.json(resultOf(await app.grants.revoke(id, hosts, askerNamed(user))), 200);
  });
}

import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import * as servers from "../server-schemas.ts";
import { answers, consoleNamespace, jsonBody } from "./route-parts.ts";

const name = z.string().min(1).max(200).describe("a server's name");
const body = jsonBody(servers.serverRequest);

const list = createRoute({
  method: "get",
  path: "/mcp",
  summary: "The tool servers (MCP), how they do, and their tools",
  responses: answers(servers.serverList, "the servers"),
});

const login = createRoute({
  method: "post",
  path: "/mcp/{name}/login",
  summary: "Connect an account with a tool server",
  request: { params: z.object({ name }), body },
  responses: answers(servers.serverLogin, "where the person connects it"),
});

const logout = createRoute({
  method: "post",
  path: "/mcp/{name}/logout",
  summary: "Forget an account with a tool server",
  request: { params: z.object({ name }), body },
  responses: answers(servers.serverStatus, "the server afterwards"),
});

const trust = createRoute({
  method: "put",
  path: "/mcp/{name}/trust",
  summary: "Say which tools of a server may run unasked",
  request: { params: z.object({ name }), body: jsonBody(servers.serverTrustRequest) },
  responses: answers(servers.serverStatus, "the server afterwards"),
});

const control = createRoute({
  method: "post",
  path: "/mcp/{name}/{action}",
  summary: "Start, stop or restart a tool server",
  request: { params: z.object({ name, action: z.enum(["start", "stop", "restart"]) }), body },
  responses: answers(servers.serverStatus, "the server afterwards; it may have failed to start"),
});

export function addServerRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  const askerNamed = (user: string) => ({
    by: apiAuthor(user, dependencies),
    namespace: consoleNamespace,
  });

  server.openapi(list, async (context) => {
    const [known, diagnostics] = await Promise.all([app.servers.list(), app.servers.problems()]);
    return context.json({ servers: [...known], diagnostics: [...diagnostics] }, 200);
  });

  server.openapi(login, async (context) => {
    const asker = askerNamed(context.req.valid("json").user);
    return context.json(resultOf(await app.servers.login(context.req.valid("param").name, asker)), 200);
  });

  server.openapi(logout, async (context) => {
    const asker = askerNamed(context.req.valid("json").user);
    return context.json(resultOf(await app.servers.logout(context.req.valid("param").name, asker)), 200);
  });

  server.openapi(trust, async (context) => {
    const { tools, user } = context.req.valid("json");
    const asker = askerNamed(user);
    return context.json(
      resultOf(await app.servers.trust(context.req.valid("param").name, tools, asker)),
      200,
    );
  });

  server.openapi(control, async (context) => {
    const { name, action } = context.req.valid("param");
    const asker = askerNamed(context.req.valid("json").user);
    return context.json(resultOf(await app.servers.control(name, action, asker)), 200);
  });
}

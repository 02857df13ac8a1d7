import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { isReady } from "../../app/readiness.ts";
import type { ServerDependencies } from "../dependencies.ts";
import * as schemas from "../schemas.ts";

const live = createRoute({
  method: "get",
  path: "/healthz",
  summary: "Whether the process answers",
  security: [],
  responses: { 200: { description: "alive", content: { "application/json": { schema: schemas.liveness } } } },
});

const ready = createRoute({
  method: "get",
  path: "/readyz",
  summary: "Whether store, queue and model are usable, and at least one platform if there are any",
  security: [],
  responses: {
    200: { description: "ready", content: { "application/json": { schema: schemas.readiness } } },
    503: { description: "not ready", content: { "application/json": { schema: schemas.readiness } } },
  },
});

/** Liveness and readiness; without a token, for whatever watches the process. */
export function addHealthRoutes(server: OpenAPIHono, { app, closing }: ServerDependencies): void {
  server.openapi(live, (context) => context.json({ ok: true }, 200));
  server.openapi(ready, async (context) => {
    const checks = await app.ready();
    if (closing.aborted) checks.push({ name: "server", ok: false, detail: "The server is shutting down." });
    const ok = isReady(checks);
    return context.json({ ok, checks }, ok ? 200 : 503);
  });
}

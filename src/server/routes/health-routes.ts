import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { isReady } from "../../app/services/readiness.ts";
import { checkCaller, type Security } from "../access.ts";
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
  summary:
    "Whether store and log can be written, the queue moves, and a platform is connected if there are any",
  security: [],
  request: {
    query: z.object({
      platform: z.string().max(50).optional().describe("this one has to be connected, such as slack"),
    }),
  },
  responses: {
    200: { description: "ready", content: { "application/json": { schema: schemas.readiness } } },
    503: { description: "not ready", content: { "application/json": { schema: schemas.readiness } } },
  },
});

const metricsRoute = createRoute({
  method: "get",
  path: "/metrics",
  summary: "Counts and times of turns, tools, models and platforms, in Prometheus' text format",
  responses: { 200: { description: "metrics", content: { "text/plain": { schema: z.string() } } } },
});

/**
 * Liveness and readiness need no token, so that any monitor can read them. Metrics name skills and models, so they need the token if there
 * is one.
 */
export function addHealthRoutes(
  server: OpenAPIHono,
  { app, draining, metrics }: ServerDependencies,
  security: Security,
): void {
  server.openapi(live, (context) => context.json({ ok: true }, 200));
  server.openapi(ready, async (context) => {
    const checks = await app.ready();
    if (draining()) checks.push({ name: "server", ok: false, detail: "The bot is shutting down." });
    const ok = isReady(checks, context.req.valid("query").platform);
    return context.json({ ok, checks }, ok ? 200 : 503);
  });
  if (metrics === undefined) return;
  server.use("/metrics", checkCaller(security));
  server.openapi(metricsRoute, async (context) => {
    const { content_type, text } = await metrics();
    return context.text(text, 200, { "Content-Type": content_type, "Cache-Control": "no-store" });
  });
}

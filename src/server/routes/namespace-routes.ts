import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { isDirectMessage } from "../../core/place.ts";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { streamEvents } from "../event-stream.ts";
import { resultOf } from "../http-problem.ts";
import { namespaceList, namespaceSettingsRequest, namespaceView } from "../namespace-schemas.ts";
import { presentNamespace, presentWithEvents } from "../present.ts";
import * as schemas from "../schemas.ts";
import { answers, jsonBody, namespaceParams, problems, threadParams } from "./route-parts.ts";

const list = createRoute({
  method: "get",
  path: "/namespaces",
  summary: "Channels in which something was said",
  request: { query: z.object({ platform: z.string().min(1).max(50).default("console") }) },
  responses: answers(namespaceList, "the namespaces of a platform"),
});

const show = createRoute({
  method: "get",
  path: "/namespaces/{ns}",
  summary: "The state of a channel",
  request: { params: namespaceParams },
  responses: answers(namespaceView, "its skills and settings"),
});

const change = createRoute({
  method: "put",
  path: "/namespaces/{ns}",
  summary: "Change a channel's settings",
  request: { params: namespaceParams, body: jsonBody(namespaceSettingsRequest) },
  responses: answers(namespaceView, "its skills and settings"),
});

const threads = createRoute({
  method: "get",
  path: "/namespaces/{ns}/threads",
  summary: "The threads of a channel, the latest active first",
  request: { params: namespaceParams },
  responses: answers(schemas.threadList, "the threads"),
});

const thread = createRoute({
  method: "get",
  path: "/namespaces/{ns}/threads/{thread}",
  summary: "The turns of a thread with their events, oldest first",
  request: { params: threadParams },
  responses: answers(schemas.threadView, "the turns"),
});

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
  server.openapi(list, async (context) => {
    const namespaces = await app.namespaces(context.req.valid("query").platform);
    const entries = namespaces.map((namespace) => ({ namespace, direct: isDirectMessage(namespace) }));
    return context.json({ namespaces: entries }, 200);
  });

  server.openapi(show, async (context) => {
    const { ns } = context.req.valid("param");
    return context.json(presentNamespace(ns, await app.namespace(ns)), 200);
  });

  server.openapi(change, async (context) => {
    const { ns } = context.req.valid("param");
    const { settings, user } = context.req.valid("json");
    const state = resultOf(await app.changeSettings(ns, settings, apiAuthor(user, dependencies, ns)));
    return context.json(presentNamespace(ns, state), 200);
  });

  server.openapi(threads, async (context) =>
    context.json({ threads: await app.threads(context.req.valid("param").ns) }, 200),
  );

  server.openapi(thread, async (context) => {
    const { ns, thread } = context.req.valid("param");
    const turns = await app.thread(ns, thread);
    return context.json({ turns: turns.map(presentWithEvents) }, 200);
  });

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

import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { App } from "../../app/app.ts";
import { threadSchema } from "../../core/place.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { presentPrompt } from "../present.ts";
import * as schemas from "../schemas.ts";
import { answers, consoleNamespace, namespaceQuery } from "./route-parts.ts";

const about = createRoute({
  method: "get",
  path: "/about",
  summary: "What a client needs to know at start",
  responses: answers(schemas.about, "name, version, model"),
});

const complete = createRoute({
  method: "get",
  path: "/commands",
  summary: "Completions of a slash command being typed",
  request: { query: namespaceQuery.extend({ text: z.string().max(2000).default("/") }) },
  responses: answers(schemas.completions, "completions, best first"),
});

const prompt = createRoute({
  method: "get",
  path: "/prompt",
  summary:
    "What a new thread of a channel would begin with, or what the next model call of a thread would get",
  request: {
    query: namespaceQuery.extend({
      message: z.string().max(10_000).default(""),
      thread: threadSchema.optional(),
    }),
  },
  responses: answers(schemas.promptView, "system prompt and tools"),
});

export function addBotRoutes(server: OpenAPIHono, { app, version }: ServerDependencies): void {
  server.openapi(about, async (context) => {
    const suggestions = await suggest(app);
    return context.json({ name: app.name, version, model: app.model, suggestions }, 200);
  });

  server.openapi(complete, async (context) => {
    const { text, namespace } = context.req.valid("query");
    return context.json({ completions: await app.complete(text, namespace) }, 200);
  });

  server.openapi(prompt, async (context) => {
    const { namespace, message, thread } = context.req.valid("query");
    return context.json(presentPrompt(await app.prompt(namespace, message, thread)), 200);
  });
}

/** Three things to try: examples of skills that work here, else what always works. */
async function suggest(app: App): Promise<string[]> {
  const { skills } = await app.skills.list(consoleNamespace);
  const usable = skills.filter(
    ({ eligible, risk, parent }) => eligible && risk === "low" && parent === undefined,
  );
  const details = await Promise.all(
    usable.slice(0, 12).map(({ id }) => app.skills.detail(id, consoleNamespace)),
  );
  const examples = details.flatMap((skill) => skill?.examples[0]?.prompt || []);
  return [...examples, "What can you do?", "/skill list", "/agent help"].slice(0, 3);
}

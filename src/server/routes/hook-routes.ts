import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { HookAnswer } from "../../app/schedules/webhooks.ts";
import { readAtMost } from "../../base/read-at-most.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { HttpProblem } from "../http-problem.ts";
import { problems } from "./route-parts.ts";

/** Maximum bytes of a request to a webhook. */
const maxBytes = 100_000;

/** Seconds until a webhook that was called too often accepts requests again. */
const retrySeconds = "60";

const hook = createRoute({
  method: "post",
  path: "/hooks/{id}",
  summary:
    "The webhook of a trigger: JSON or text, with its secret as bearer token or signed with it. Needs no other token",
  security: [],
  request: { params: z.object({ id: z.string().min(1).max(100).describe("a trigger's id") }) },
  responses: {
    202: {
      description:
        "stored; its turn begins as soon as the limits allow. `known`: this delivery was received before",
      content: { "application/json": { schema: z.object({ status: z.enum(["taken", "known"]) }) } },
    },
    ...problems,
  },
});

/** Webhooks, for everybody who has their secret; the checks of a request's origin do not apply. */
export function addHookRoutes(server: OpenAPIHono, { app }: ServerDependencies): void {
  server.openapi(hook, async (context) => {
    const { req } = context;
    if (Number(req.header("content-length") ?? 0) > maxBytes) throw tooLarge();
    const body = await readAtMost(req.raw.body, maxBytes, tooLarge);
    const answer = await app.hook({ id: req.valid("param").id, header: (name) => req.header(name), body });
    return context.json({ status: accepted(answer) }, 202);
  });
}

const refusals = {
  unknown: [401, "There is no such webhook, or the request is not signed with its secret."],
  paused: [409, "This webhook is paused; nothing was done."],
  flooded: [429, "Too many requests: this one was counted, and its content was not kept. Try again later."],
} as const;

/** @throws HttpProblem */
function accepted(answer: HookAnswer): "taken" | "known" {
  if (answer === "taken" || answer === "known") return answer;
  const [status, detail] = refusals[answer];
  const headers = status === 429 ? { "Retry-After": retrySeconds } : {};
  throw new HttpProblem(status, detail, { headers });
}

function tooLarge(): HttpProblem {
  return new HttpProblem(413, `A webhook takes ${maxBytes / 1000} kB at most.`);
}

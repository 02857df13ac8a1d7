import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { App } from "../../app/app.ts";
import { namespaceSchema, threadSchema } from "../../core/place.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { presentTurn, presentWithEvents } from "../present.ts";
import * as schemas from "../schemas.ts";
import { answers, found } from "./route-parts.ts";

const list = createRoute({
  method: "get",
  path: "/runs",
  summary: "Turns and skill executions, the newest first",
  request: {
    query: z.object({
      namespace: namespaceSchema.optional(),
      thread: threadSchema.optional(),
      status: z.enum(["queued", "running", "waiting", "finished"]).optional(),
      before: z.string().max(300).optional().describe("only turns accepted before this one"),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
  },
  responses: answers(schemas.runList, "turns and what skills did in them"),
});

const show = createRoute({
  method: "get",
  path: "/runs/{id}",
  summary: "One turn with its events and what skills did in it",
  request: { params: z.object({ id: z.string().min(1).max(300).describe("of a turn or of a skill's run") }) },
  responses: answers(schemas.runView, "the turn"),
});

export function addRunRoutes(server: OpenAPIHono, { app }: ServerDependencies): void {
  server.openapi(list, async (context) => {
    const filter = context.req.valid("query");
    const [turns, skills] = await Promise.all([app.turns(filter), app.runs(filter)]);
    return context.json({ turns: turns.map(presentTurn), skills }, 200);
  });

  server.openapi(show, async (context) => {
    const { id } = context.req.valid("param");
    const turn = found(await findTurn(app, id), `turn or skill run ${id}`);
    const place = { namespace: turn.namespace, thread: turn.thread };
    const [turns, runs] = await Promise.all([
      app.thread(place.namespace, place.thread),
      app.runs({ ...place, limit: recentTurns }),
    ]);
    const events = turns.find((other) => other.turn.turn_id === turn.turn_id)?.events ?? [];
    const skills = runs.filter((run) => run.turn_id === turn.turn_id);
    return context.json({ ...presentWithEvents({ turn, events }), skills }, 200);
  });
}

/** How many of the latest turns a skill's run is looked for in. */
const recentTurns = 200;

async function findTurn(app: App, id: string) {
  const turn = await app.turn(id);
  if (turn !== undefined) return turn;
  const run = (await app.runs({ limit: recentTurns })).find((candidate) => candidate.run_id === id);
  return run === undefined ? undefined : app.turn(run.turn_id);
}

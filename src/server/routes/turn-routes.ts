import { createHash, randomUUID } from "node:crypto";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { presentTurn, turnEvent, turnRecord } from "../../app/operations/turn-view.ts";
import { isEphemeral } from "../../core/event-audience.ts";
import type { TurnEvent } from "../../core/turn-event.ts";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { streamEvents } from "../event-stream.ts";
import { resultOf } from "../http-problem.ts";
import * as schemas from "../schemas.ts";
import * as turns from "../turn-schemas.ts";
import { answers, found, jsonBody, problems, turnParams } from "./route-parts.ts";

const submit = createRoute({
  method: "post",
  path: "/turns",
  summary: "Say something: runs a turn",
  request: { body: jsonBody(turns.turnRequest) },
  responses: {
    202: { description: "accepted", content: { "application/json": { schema: turns.turnAccepted } } },
    ...problems,
  },
});

const show = createRoute({
  method: "get",
  path: "/turns/{id}",
  summary: "A turn and its answer",
  request: { params: turnParams },
  responses: answers(turnRecord, "the turn"),
});

const seq = z.coerce.number().int().min(-1);
const events = createRoute({
  method: "get",
  path: "/turns/{id}/events",
  summary: "The events of a turn up to turn_finished, live",
  request: {
    params: turnParams,
    query: z.object({ after: seq.optional().describe("only events with a greater seq") }),
    headers: z.object({ "last-event-id": seq.optional() }),
  },
  responses: {
    200: {
      description: "one turn event as JSON per message; stored events carry their seq as id",
      content: { "text/event-stream": { schema: turnEvent } },
    },
    204: { description: "the turn is finished and nothing is left to send" },
    ...problems,
  },
});

const stop = createRoute({
  method: "post",
  path: "/turns/{id}/stop",
  summary: "Stop a turn",
  request: { params: turnParams, body: jsonBody(schemas.stopRequest) },
  responses: answers(schemas.stopped, "whether it was still running"),
});

const forget = createRoute({
  method: "delete",
  path: "/turns/{id}",
  summary: "Delete a turn: its texts, files and answer, for good",
  request: { params: turnParams, query: z.object({ user: z.string().min(1).max(200).default("operator") }) },
  responses: answers(schemas.forgotten, "the turn is stopped and deleted; its record stays without texts"),
});

const answer = createRoute({
  method: "post",
  path: "/turns/{id}/answer",
  summary: "Answer a question the turn waits for",
  request: { params: turnParams, body: jsonBody(schemas.answerRequest) },
  responses: answers(schemas.answered, "whether the question was still open"),
});

export function addTurnRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  server.openapi(submit, async (context) => {
    const { user, time_zone, key, thread = newThread(key), ...said } = context.req.valid("json");
    const author = {
      ...apiAuthor(user, dependencies, said.namespace),
      ...(time_zone === undefined ? {} : { time_zone }),
    };
    const submission = { ...said, thread, author, ...(key === undefined ? {} : { key }) };
    const { turn_id, accepted } = resultOf(await app.submit(submission));
    const place = accepted ? submission : ((await app.turn(turn_id)) ?? submission);
    return context.json({ turn_id, namespace: place.namespace, thread: place.thread }, 202);
  });

  server.openapi(show, async (context) => {
    const { id } = context.req.valid("param");
    return context.json(presentTurn(found(await app.turn(id), `turn ${id}`)), 200);
  });

  server.openapi(events, async (context) => {
    const { id } = context.req.valid("param");
    const after = context.req.valid("header")["last-event-id"] ?? context.req.valid("query").after ?? -1;
    const { status } = found(await app.turn(id), `turn ${id}`);
    return streamEvents(context, {
      ...dependencies,
      open: (signal) => followTurn(dependencies, id, after, signal),
      message: (event) => ({
        data: JSON.stringify(event),
        ...(isEphemeral(event) ? {} : { id: String(event.seq) }),
      }),
      complete: status === "finished",
    });
  });

  server.openapi(stop, async (context) => {
    const { id } = context.req.valid("param");
    const by = apiAuthor(context.req.valid("json").user, dependencies);
    return context.json(resultOf(await app.stop(id, by)), 200);
  });

  server.openapi(forget, async (context) => {
    const { id } = context.req.valid("param");
    const by = apiAuthor(context.req.valid("query").user, dependencies);
    return context.json(resultOf(await app.forget(id, by)), 200);
  });

  server.openapi(answer, async (context) => {
    const { id } = context.req.valid("param");
    const { question_id, text, user } = context.req.valid("json");
    const by = apiAuthor(user, dependencies);
    return context.json(resultOf(await app.answer(id, question_id, text, by)), 200);
  });
}

/** A retry with the same key and no thread means the same thread. */
function newThread(key: string | undefined): string {
  const name = key === undefined ? randomUUID() : createHash("sha256").update(key).digest("base64url");
  return `t-${name}`;
}

async function* followTurn(
  { app }: ServerDependencies,
  turnId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const events = await app.events(turnId, after, signal);
  for await (const event of events ?? []) {
    yield event;
    if (event.type === "turn_finished") return;
  }
}

import { createHash, randomUUID } from "node:crypto";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { HonoRequest } from "hono";
import { turnEvent } from "../../app/operations/turns/turn-view.ts";
import { mediaTypeOf } from "../../base/file-kind.ts";
import { isEphemeral, type TurnEvent } from "../../core/log/turn-event.ts";
import type { NewFile } from "../../core/ports/storage.ts";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { createFrames, createGate, streamEvents } from "../event-stream.ts";
import { HttpProblem, resultOf } from "../http-problem.ts";
import * as schemas from "../schemas.ts";
import { found, namespaceParams, problems, turnParams } from "./route-parts.ts";

/** The path that accepts messages, after the prefix of the API. */
export const turnsPath = "/turns";

const submit = createRoute({
  method: "post",
  path: turnsPath,
  summary: "Say something, with files or without: runs a turn",
  request: {
    body: {
      // If it were required, both schemas would be checked for every request.
      required: false,
      content: {
        "application/json": { schema: schemas.turnRequest },
        "multipart/form-data": { schema: schemas.turnForm },
      },
    },
  },
  responses: {
    202: { description: "accepted", content: { "application/json": { schema: schemas.turnAccepted } } },
    ...problems,
  },
});

const seq = z.coerce.number().int().min(-1);
const turnEvents = createRoute({
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

const channelEvents = createRoute({
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

/** Submitting a message, and streams of events, which operations cannot be. */
export function addTurnRoutes(server: OpenAPIHono, dependencies: ServerDependencies): void {
  const { app } = dependencies;
  const gate = createGate();
  const eventFrame = createFrames((event: TurnEvent) => ({
    data: JSON.stringify(event),
    id: isEphemeral(event) ? undefined : String(event.seq),
  }));
  const itemFrame = createFrames((item: object) => ({ data: JSON.stringify(item) }));
  server.openapi(submit, async (context) => {
    const { request, files } = await submitted(context.req);
    const { user, time_zone, key, thread = newThread(key), ...said } = request;
    const author = { ...apiAuthor(user, dependencies, said.namespace), time_zone };
    const attached = files.length === 0 ? undefined : files;
    const submission = { ...said, thread, author, key, files: attached };
    const { turn_id, accepted } = resultOf(await app.submit(submission));
    const place = accepted ? submission : ((await app.turn(turn_id)) ?? submission);
    return context.json({ turn_id, namespace: place.namespace, thread: place.thread }, 202);
  });

  server.openapi(turnEvents, async (context) => {
    await gate();
    const { id } = context.req.valid("param");
    const after = context.req.valid("header")["last-event-id"] ?? context.req.valid("query").after ?? -1;
    const { status } = found(await app.turn(id), `turn ${id}`);
    return streamEvents(context, {
      ...dependencies,
      open: (signal) => followTurn(dependencies, id, after, signal),
      frame: eventFrame,
      gate,
      complete: status === "finished",
    });
  });

  server.openapi(channelEvents, async (context) => {
    await gate();
    const { ns } = context.req.valid("param");
    return streamEvents(context, {
      ...dependencies,
      open: (signal) => app.watch(ns, signal),
      frame: itemFrame,
      gate,
      complete: false,
    });
  });
}

/** A submitted message: JSON, or a form with the same members and files. */
async function submitted(
  request: HonoRequest,
): Promise<{ request: z.output<typeof schemas.turnRequest>; files: NewFile[] }> {
  if (!/^multipart\/form-data/i.test(request.header("content-type") ?? ""))
    return { request: schemas.turnRequest.parse(await request.json()), files: [] };
  const form = await request.formData();
  const entries = [...form];
  const files = await Promise.all(
    entries.flatMap(([, value]) => (value instanceof File ? newFile(value) : [])),
  );
  const members = Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
  const text = schemas.turnRequest.shape.text.or(z.literal("")).default("");
  const parsed = schemas.turnRequest.extend({ text }).safeParse(members);
  if (!parsed.success) throw new HttpProblem(400, z.prettifyError(parsed.error), { code: "invalid_request" });
  return { request: parsed.data, files };
}

async function newFile(file: File): Promise<NewFile> {
  const isUnknown = file.type === "" || file.type === "application/octet-stream";
  const media_type = isUnknown ? mediaTypeOf(file.name) : file.type;
  return { name: file.name || "file", media_type, data: new Uint8Array(await file.arrayBuffer()) };
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

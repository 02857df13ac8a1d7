import { ModelError, type ModelEvent, type ModelRequest } from "../core/ports/model.ts";
import type { JsonSchema } from "../core/values/json.ts";
import { jsonIn, type OutputForm, outputInstruction, unwrapOutput } from "./structured-output.ts";

type Ask = (request: ModelRequest, form: OutputForm) => AsyncIterable<ModelEvent>;
type Finished = Extract<ModelEvent, { type: "finished" }>;

/**
 * Answers that are one JSON value of a schema: by the server's own means, or in words where it refuses or ignores those, which
 * is remembered for the schema. Yields only `finished`.
 */
export function createStructuredAnswers(id: string, ask: Ask) {
  const refused = new WeakSet<JsonSchema>();
  return async function* structured(request: ModelRequest, schema: JsonSchema): AsyncGenerator<ModelEvent> {
    if (!refused.has(schema)) {
      const event = await byServer(id, ask, request, schema);
      const text = event === undefined ? undefined : unwrapOutput(event.message.text, schema);
      if (event !== undefined && text !== undefined) {
        yield withText(event, text);
        return;
      }
      refused.add(schema);
    }
    yield await inWords(id, ask, request, schema);
  };
}

/** Undefined when the server refuses the schema. */
async function byServer(id: string, ask: Ask, request: ModelRequest, schema: JsonSchema) {
  try {
    return await lastEvent(id, ask(request, { kind: "schema", schema }));
  } catch (error) {
    if (error instanceof ModelError && error.code === "invalid_request") return undefined;
    throw error;
  }
}

async function inWords(id: string, ask: Ask, request: ModelRequest, schema: JsonSchema): Promise<Finished> {
  const system = `${request.system}\n\n${outputInstruction(schema)}`;
  const event = await lastEvent(id, ask({ ...request, system }, { kind: "instructed" }));
  const text = jsonIn(event.message.text);
  if (text !== undefined) return withText(event, text);
  throw new ModelError(
    "bad_response",
    `${id} answered in words although JSON was asked for. Try again, or use a model with structured output.`,
  );
}

async function lastEvent(id: string, events: AsyncIterable<ModelEvent>): Promise<Finished> {
  for await (const event of events) if (event.type === "finished") return event;
  throw new ModelError("bad_response", `${id} gave no answer. Try again.`);
}

function withText(event: Finished, text: string): Finished {
  return { ...event, message: { role: "assistant", text, tool_calls: [] } };
}

import { parsedJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import { ModelError, type ModelEvent, type ModelRequest } from "../core/ports/model.ts";
import type { JsonSchema } from "../core/values/json.ts";

/** How a request asks for structured output: with the server's feature for schemas, or in the prompt if the server refuses that. */
export type OutputForm = { kind: "free" } | { kind: "schema"; schema: JsonSchema } | { kind: "instructed" };

/** The name under which servers know the schema. */
export const outputName = "answer";

const wrapper = "value";

/** Servers require an object at the root, so any other schema is wrapped in one. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  if (schema.type === "object") return schema;
  return {
    type: "object",
    properties: { [wrapper]: schema },
    required: [wrapper],
    additionalProperties: false,
  };
}

export type Finished = Extract<ModelEvent, { type: "finished" }>;

/** The usage of an answer that is of no use. */
export function spent({ usage, model }: Finished): ModelEvent {
  return { type: "spent", usage, model };
}

/**
 * Answers that are one JSON value of a schema. If the server refuses or ignores its own feature for schemas, the prompt asks for the
 * schema, which is remembered.
 */
export class StructuredAnswers {
  readonly #id: string;
  readonly #ask: (request: ModelRequest, form: OutputForm) => AsyncIterable<ModelEvent>;
  readonly #refused = new WeakSet<JsonSchema>();

  /** @param id the model, for messages */
  constructor(id: string, ask: (request: ModelRequest, form: OutputForm) => AsyncIterable<ModelEvent>) {
    this.#id = id;
    this.#ask = ask;
  }

  /** Yields `finished`, and before it only `spent`. */
  async *stream(request: ModelRequest, schema: JsonSchema): AsyncGenerator<ModelEvent> {
    if (!this.#refused.has(schema)) {
      const event = yield* this.#byServer(request, schema);
      const text = event && unwrapOutput(event.message.text, schema);
      if (event !== undefined && text !== undefined) {
        yield withText(event, text);
        return;
      }
      if (event !== undefined) yield spent(event);
      this.#refused.add(schema);
    }
    yield* this.#inWords(request, schema);
  }

  /** The answer by the server's feature for schemas; undefined when it refuses the schema. */
  async *#byServer(request: ModelRequest, schema: JsonSchema) {
    try {
      return yield* this.#last(request, { kind: "schema", schema });
    } catch (error) {
      if (error instanceof ModelError && error.code === "invalid_request") return undefined;
      throw error;
    }
  }

  async *#inWords(request: ModelRequest, schema: JsonSchema) {
    const system = `${request.system}\n\n${outputInstruction(schema)}`;
    const event = yield* this.#last({ ...request, system }, { kind: "instructed" });
    const text = jsonIn(event.message.text);
    if (text !== undefined) {
      yield withText(event, text);
      return;
    }
    yield spent(event);
    throw new ModelError(
      "bad_response",
      `${this.#id} answered in words although JSON was asked for. Try again, or use a model with structured output.`,
    );
  }

  async *#last(request: ModelRequest, form: OutputForm): AsyncGenerator<ModelEvent, Finished> {
    for await (const event of this.#ask(request, form)) {
      if (event.type === "finished") return event;
      if (event.type === "spent") yield event;
    }
    throw new ModelError("bad_response", `${this.#id} gave no answer. Try again.`);
  }
}

function withText(event: Finished, text: string): Finished {
  return { ...event, message: { role: "assistant", text, tool_calls: [] } };
}

/** The requested value as JSON text, from an answer to `objectSchema(schema)`. Undefined if it is missing. */
function unwrapOutput(text: string, schema: JsonSchema): string | undefined {
  const value = parsedJson(text);
  if (schema.type === "object") return isRecord(value) ? text : undefined;
  return isRecord(value) && value[wrapper] !== undefined ? JSON.stringify(value[wrapper]) : undefined;
}

/** The addition to the system prompt for servers without a feature for schemas. */
function outputInstruction(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else: no explanation, no code fence. It must satisfy this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** The JSON text in a model's free answer, without code fence and surrounding words. Undefined if there is none. */
function jsonIn(text: string): string | undefined {
  return [text, inFence(text), inBraces(text)]
    .find((candidate) => parsedJson(candidate) !== undefined)
    ?.trim();
}

/** The content of the first fence; empty without a complete fence. */
function inFence(text: string): string {
  const opening = /```(?:json)?[^\S\n]*\n/.exec(text);
  if (opening === null) return "";
  const rest = text.slice(opening.index + opening[0].length);
  return rest.slice(0, Math.max(0, rest.search(/\n[^\S\n]*```/)));
}

function inBraces(text: string): string {
  const start = text.search(/[{[]/);
  return start < 0 ? "" : text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
}

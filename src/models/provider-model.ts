import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../core/ports/model.ts";
import type { JsonSchema } from "../core/values/json.ts";
import type { AssistantMessage, CutAnswer } from "../core/values/message.ts";
import { type ModelFacts, modelFacts } from "./catalogue/model-facts.ts";
import { type MeteredUsage, pricedUsage } from "./prices.ts";
import { type Endpoint, modelError, toModelError } from "./provider-error.ts";
import { type ServerKind, serverKindOf } from "./server-kind.ts";
import { type SilenceWatch, watchSilence } from "./silence-watch.ts";
import { jsonIn, type OutputForm, outputInstruction, unwrapOutput } from "./structured-output.ts";
import { ShapedExchange } from "./tools/shaped-exchange.ts";
import type { ToolRules } from "./tools/tool-shape.ts";

/** A whole answer. `stop`: why the model ended. */
export interface Answer {
  message: AssistantMessage;
  /** Undefined if the server reports no usage. */
  usage: MeteredUsage | undefined;
  stop: "done" | CutAnswer;
}

/** A piece of the model's reasoning, of its summary, or of a note between tool calls. */
export interface Thought {
  thought: string;
}

/** The text so far is not part of the answer. */
interface Void {
  void: true;
}

/** A piece of text, a thought, or a withdrawal of the text so far. */
export type Piece = string | Thought | Void;

/** Puts the chunks of one stream together. */
export interface AnswerReader<Chunk> {
  /** Adds a chunk. Returns its text, which is often empty, or news about the model's work. */
  add(chunk: Chunk): Piece | readonly Piece[];
  /** @throws ModelError when the stream ended too early */
  finish(): Answer;
}

/** An answer that has begun, and the reader of its chunks. */
interface OpenedAnswer<Chunk> {
  /** The chunks of each read from the network; none for a connection that is only kept open. */
  reads: AsyncIterable<readonly Chunk[]>;
  reader: AnswerReader<Chunk>;
}

/** The provider's format of requests and answers. */
export interface Dialect<Chunk = unknown> {
  /** Sends a request with a streamed answer. */
  open(request: ModelRequest, form: OutputForm, signal: AbortSignal): Promise<OpenedAnswer<Chunk>>;
  /** Sends a request and waits for the whole answer. */
  complete(request: ModelRequest, form: OutputForm, signal: AbortSignal): Promise<Answer>;
  /** Sends a request that is `keep_only`; the answer is empty. Absent where a cache decides by itself what it keeps. */
  keep?(request: ModelRequest, signal: AbortSignal): Promise<Answer>;
}

/** Options of every provider's adapter. */
export interface ProviderModelOptions {
  /** Name of the provider in model ids and provider blocks, e.g. `openai`. */
  provider?: string;
  /** The kind of server that an operator set; its address and the model's name tell by default. */
  server?: ServerKind | undefined;
  /** Name of the model at the provider. */
  model: string;
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** Where the operator sets the key, for error messages, e.g. `OPENAI_API_KEY`. */
  keyName?: string | undefined;
  /** Whether the server refuses all requests without a key; by default only the vendors' own servers do. */
  needsKey?: boolean | undefined;
  /** How the key is sent; `bearer` by default. */
  keyHeader?: "bearer" | "api-key" | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Added to every address, e.g. `api-version`. */
  query?: Readonly<Record<string, string>> | undefined;
  /** The field that limits the answer; found by trial by default. `none`: the server's own limit applies. */
  maxTokensField?: "max_tokens" | "max_completion_tokens" | "none" | undefined;
  /** Which of OpenAI's APIs is used; depends on the name of the model by default. */
  api?: "auto" | "responses" | "chat" | undefined;
  /** True by default. */
  streaming?: boolean | undefined;
  /** Maximum silence of a stream, or wait for an answer that is not streamed, ms. */
  timeoutMs: number;
  /** Maximum wait for the first sign of a stream, ms; `timeoutMs` by default. */
  firstAnswerMs?: number | undefined;
  /** Maximum tokens of an answer, including reasoning; depends on the model by default. */
  maxOutputTokens?: number | undefined;
  /** Facts about the model; those of the catalogue by default. */
  facts?: ModelFacts | undefined;
}

/** Facts about the model of these options at this endpoint. */
export function factsOf({ facts, server, model }: ProviderModelOptions, { host }: Endpoint): ModelFacts {
  return facts ?? modelFacts(serverKindOf(host, server), model);
}

/** One model at one provider, without retries. `rules`: its vendor's requirements for tools. */
export function createProviderModel(
  dialect: Dialect,
  endpoint: Endpoint,
  options: ProviderModelOptions,
  rules: ToolRules,
): Model {
  const shaped = new ShapedExchange(rules, endpoint);
  const ask = (request: ModelRequest, form: OutputForm) =>
    shaped.stream(request, (sent) => exchange(dialect, endpoint, options, sent, form));
  const structured = createStructuredAnswers(endpoint.id, ask);
  return {
    id: endpoint.id,
    generative: true,
    keeps: dialect.keep !== undefined,
    stream: (request) =>
      request.output_schema === undefined
        ? ask(request, { kind: "free" })
        : structured(request, request.output_schema),
  };
}

/** One request to the server and its answer, which is empty for one that only keeps a conversation in the cache. */
async function* exchange(
  dialect: Dialect,
  endpoint: Endpoint,
  options: ProviderModelOptions,
  request: ModelRequest,
  form: OutputForm,
): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  const streaming = isStreamed(request, options);
  const watch = watchSilence(request.signal, options.timeoutMs, options.firstAnswerMs);
  let answer: Answer;
  try {
    if (streaming) {
      const { reads, reader } = await dialect.open(request, form, watch.signal);
      const shown = new ShownPieces();
      for await (const chunks of reads) {
        watch.heard(chunks.length > 0);
        for (const event of shown.events(chunks.flatMap((chunk) => reader.add(chunk)))) {
          // Chunks that were read before the abort are not shown after it.
          watch.signal.throwIfAborted();
          watch.pause();
          yield event;
          watch.heard();
        }
      }
      // The SDKs end an aborted stream without an error.
      watch.signal.throwIfAborted();
      answer = reader.finish();
    } else {
      answer = await wholeAsk(dialect, request, endpoint)(request, form, watch.signal);
    }
  } catch (error) {
    throw failureOf(error, request, watch, endpoint, streaming);
  } finally {
    watch.release();
  }
  if (request.no_calls === true) answer = withoutCalls(answer);
  const event = finished(answer, endpoint, options);
  const useless = whyUseless(answer, request, endpoint);
  if (useless === undefined) yield event;
  else {
    yield spent(event);
    throw useless;
  }
}

function spent({ usage, model }: Finished): ModelEvent {
  return { type: "spent", usage, model };
}

function isStreamed({ keep_only }: ModelRequest, { streaming = true }: ProviderModelOptions): boolean {
  return streaming && keep_only !== true;
}

/** How a whole answer is asked for. */
function wholeAsk({ keep, complete }: Dialect, { keep_only }: ModelRequest, { id }: Endpoint) {
  if (keep_only !== true) return complete;
  if (keep !== undefined)
    return (...[request, , signal]: Parameters<typeof complete>) => keep(request, signal);
  throw new ModelError("invalid_request", `${id} decides by itself what its cache keeps.`);
}

/**
 * The events of an answer's pieces. The texts of one read are one event, which saves time in every layer above. The first text is an event
 * of its own, so that an answer that arrives whole comes in pieces too.
 */
class ShownPieces {
  #texts = 0;

  /** @param pieces those of one read */
  events(pieces: readonly Piece[]): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (const piece of pieces) {
      if (piece === "") continue;
      const last = events.at(-1);
      if (typeof piece === "string" && last?.type === "text" && this.#texts > 1) last.text += piece;
      else events.push(eventOf(piece));
      if (typeof piece === "string") this.#texts += 1;
    }
    return events;
  }
}

function eventOf(piece: Piece): ModelEvent {
  if (typeof piece === "string") return { type: "text", text: piece };
  return "void" in piece ? { type: "reset" } : { type: "thought", text: piece.thought };
}

function failureOf(
  error: unknown,
  request: ModelRequest,
  watch: SilenceWatch,
  endpoint: Endpoint,
  streaming: boolean,
): unknown {
  if (request.signal.aborted) return request.signal.reason;
  const silence = watch.expired();
  if (silence === undefined) return toModelError(error, endpoint) ?? error;
  const what = `sent nothing ${silence.heard ? "more " : ""}for ${silence.ms / 1000} s`;
  const limit = streaming ? (silence.heard ? "idle_seconds" : "first_answer_seconds") : "timeout_seconds";
  return modelError("unavailable", endpoint, what, `the limit is model.${limit}`);
}

function finished(answer: Answer, endpoint: Endpoint, options: ProviderModelOptions): Finished {
  const { message, stop } = answer;
  const usage = pricedUsage(answer.usage, factsOf(options, endpoint).price);
  const event = { type: "finished", message, usage, model: endpoint.id } as const;
  return stop === "done" ? event : { ...event, cut: stop };
}

/** Some servers let the model call tools when calls are forbidden. The message's blocks are dropped too, because they name those calls. */
function withoutCalls(answer: Answer): Answer {
  const { text, tool_calls } = answer.message;
  return tool_calls.length === 0
    ? answer
    : { ...answer, message: { role: "assistant", text, tool_calls: [] } };
}

function whyUseless(
  { message, stop }: Answer,
  request: ModelRequest,
  endpoint: Endpoint,
): ModelError | undefined {
  if (request.keep_only === true || message.text !== "" || message.tool_calls.length > 0) return undefined;
  switch (stop) {
    case "done":
      return request.no_calls === true
        ? modelError("bad_response", endpoint, "called tools where it was to answer in words", undefined)
        : undefined;
    case "length":
      return modelError(
        "cut_off",
        endpoint,
        "reached its limit of output tokens before it said anything",
        "",
      );
    case "context":
      return modelError("context_too_long", endpoint, "ran out of context before it answered", "");
    case "declined":
      return modelError("declined", endpoint, "declined to answer", "");
  }
}

type Ask = (request: ModelRequest, form: OutputForm) => AsyncIterable<ModelEvent>;
type Finished = Extract<ModelEvent, { type: "finished" }>;

/**
 * Answers that are one JSON value of a schema. If the server refuses or ignores its own feature for schemas, the prompt asks for the
 * schema, which is remembered. Yields `finished`, and before it only `spent`.
 */
function createStructuredAnswers(id: string, ask: Ask) {
  const refused = new WeakSet<JsonSchema>();
  return async function* structured(request: ModelRequest, schema: JsonSchema): AsyncGenerator<ModelEvent> {
    if (!refused.has(schema)) {
      const event = yield* byServer(id, ask, request, schema);
      const text = event === undefined ? undefined : unwrapOutput(event.message.text, schema);
      if (event !== undefined && text !== undefined) {
        yield withText(event, text);
        return;
      }
      if (event !== undefined) yield spent(event);
      refused.add(schema);
    }
    yield* inWords(id, ask, request, schema);
  };
}

/** The answer by the server's feature for schemas; undefined when it refuses the schema. */
async function* byServer(id: string, ask: Ask, request: ModelRequest, schema: JsonSchema) {
  try {
    return yield* lastEvent(id, ask(request, { kind: "schema", schema }));
  } catch (error) {
    if (error instanceof ModelError && error.code === "invalid_request") return undefined;
    throw error;
  }
}

async function* inWords(id: string, ask: Ask, request: ModelRequest, schema: JsonSchema) {
  const system = `${request.system}\n\n${outputInstruction(schema)}`;
  const event = yield* lastEvent(id, ask({ ...request, system }, { kind: "instructed" }));
  const text = jsonIn(event.message.text);
  if (text !== undefined) {
    yield withText(event, text);
    return;
  }
  yield spent(event);
  throw new ModelError(
    "bad_response",
    `${id} answered in words although JSON was asked for. Try again, or use a model with structured output.`,
  );
}

async function* lastEvent(
  id: string,
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, Finished> {
  for await (const event of events) {
    if (event.type === "finished") return event;
    if (event.type === "spent") yield event;
  }
  throw new ModelError("bad_response", `${id} gave no answer. Try again.`);
}

function withText(event: Finished, text: string): Finished {
  return { ...event, message: { role: "assistant", text, tool_calls: [] } };
}

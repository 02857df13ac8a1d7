import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../core/ports/model.ts";
import type { AssistantMessage, CutAnswer } from "../core/values/message.ts";
import { type ModelFacts, modelFacts } from "./catalogue/model-facts.ts";
import { readChunks } from "./event-stream.ts";
import { type MeteredUsage, pricedUsage } from "./prices.ts";
import { type Endpoint, modelError, toModelError } from "./provider-error.ts";
import type { ServerAnswer } from "./send-request.ts";
import { type ServerKind, serverKindOf } from "./server-kind.ts";
import { type SilenceWatch, watchSilence } from "./silence-watch.ts";
import { type Finished, type OutputForm, StructuredAnswers, spent } from "./structured-output.ts";
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

/** The owner of provider blocks: they go back only to the provider that wrote them, in the form in which it was asked. */
export interface BlocksOwner {
  provider: string;
  /** The provider's name of the model. */
  model: string;
  form: string;
}

/** A request and its recipient. `owner` is kept with the blocks that must be sent back. */
export interface Exchange {
  request: ModelRequest;
  endpoint: Endpoint;
  owner: BlocksOwner;
}

/** Reads one answer: the chunks of a stream, or a document. */
export interface AnswerReader<Chunk> {
  /** Adds a chunk. Returns its text, which is often empty, or news about the model's work. */
  add(chunk: Chunk): Piece | readonly Piece[];
  /** Whether a chunk is the last one that matters; by default the stream tells its end. */
  isLast?(chunk: Chunk): boolean;
  /** The answer in the chunks. @throws ModelError when the stream ended too early */
  finish(): Answer;
  /** The answer in a document. @throws ModelError if it is not an answer, ReportedFailure if it reports a failure */
  whole(document: unknown): Answer;
}

/** The provider's format of requests and answers. */
export interface Dialect<Chunk = unknown> {
  /** Whether requests that are `keep_only` are sent; otherwise the cache decides by itself what it keeps. */
  readonly keeps?: boolean;
  /** Sends a request. @param how whether its answer is a stream or a document */
  send(
    request: ModelRequest,
    output: OutputForm,
    how: { stream: boolean; signal: AbortSignal },
  ): Promise<{ answer: ServerAnswer; reader: AnswerReader<Chunk> }>;
}

/** A server of models, and how it is called. */
export interface ModelServer {
  /** The kind of server that an operator set; its address and the model's name tell by default. */
  server?: ServerKind | undefined;
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
  /** Maximum wait for the first sign of a stream, ms; as for any other silence by default. */
  firstAnswerMs?: number | undefined;
}

/** A model at its server, and the limits of its answers. */
export interface CalledModel extends ModelServer {
  /** Name of the provider in model ids and provider blocks, e.g. `openai`. */
  provider?: string;
  /** Name of the model at the provider. */
  model: string;
  /** True by default. */
  streaming?: boolean | undefined;
  /** Maximum silence of a stream, or wait for an answer that is not streamed, ms. */
  timeoutMs: number;
  /** Maximum tokens of an answer, including reasoning; depends on the model by default. */
  maxOutputTokens?: number | undefined;
  /** Facts about the model; those of the catalogue by default. */
  facts?: ModelFacts | undefined;
}

/** Facts about the model of these options at this endpoint. */
export function factsOf({ facts, server, model }: CalledModel, { host }: Endpoint): ModelFacts {
  return facts ?? modelFacts(serverKindOf(host, server), model);
}

/** One model at one provider, without retries. `rules`: its vendor's requirements for tools. */
export function createProviderModel(
  dialect: Dialect,
  endpoint: Endpoint,
  options: CalledModel,
  rules: ToolRules,
): Model {
  const shaped = new ShapedExchange(rules, endpoint);
  const ask = (request: ModelRequest, form: OutputForm) =>
    shaped.stream(request, (sent) => exchange(dialect, endpoint, options, sent, form));
  const structured = new StructuredAnswers(endpoint.id, ask);
  return {
    id: endpoint.id,
    generative: true,
    keeps: dialect.keeps === true,
    stream: (request) =>
      request.output_schema === undefined
        ? ask(request, { kind: "free" })
        : structured.stream(request, request.output_schema),
  };
}

/** One request to the server and its answer, which is empty for one that only keeps a conversation in the cache. */
async function* exchange(
  dialect: Dialect,
  endpoint: Endpoint,
  options: CalledModel,
  request: ModelRequest,
  form: OutputForm,
): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  if (request.keep_only === true && dialect.keeps !== true) {
    throw new ModelError("invalid_request", `${endpoint.id} decides by itself what its cache keeps.`);
  }
  const stream = options.streaming !== false && request.keep_only !== true;
  const watch = watchSilence(request.signal, options.timeoutMs, options.firstAnswerMs);
  let answer: Answer;
  try {
    const sent = await dialect.send(request, form, { stream, signal: watch.signal });
    const { reader } = sent;
    if (stream) {
      const shown = new ShownPieces();
      for await (const chunks of readChunks(sent.answer, (chunk) => reader.isLast?.(chunk) === true)) {
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
      answer = reader.whole(await sent.answer.json());
    }
  } catch (error) {
    throw failureOf(error, request, watch, endpoint, stream);
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

function finished(answer: Answer, endpoint: Endpoint, options: CalledModel): Finished {
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

import type { JsonSchema } from "../core/json.ts";
import type { AssistantMessage } from "../core/message.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../core/model.ts";
import type { Usage } from "../core/turn-event.ts";
import { costOf, type MeteredUsage, type PriceTable } from "./prices.ts";
import { type Endpoint, modelError, toModelError } from "./provider-error.ts";
import { type SilenceWatch, watchSilence } from "./silence-watch.ts";
import { jsonIn, type OutputForm, outputInstruction, unwrapOutput } from "./structured-output.ts";

/** A whole answer. `stop`: why the model ended; `length` is its output limit, `declined` a refusal by model or filter. */
export interface Answer {
  message: AssistantMessage;
  usage: MeteredUsage;
  stop: "done" | "length" | "declined";
}

/** Puts the chunks of one stream together. */
export interface AnswerReader<Chunk> {
  /** Takes a chunk; answers the text it adds for people, often none. */
  add(chunk: Chunk): string;
  /** @throws ModelError when the stream ended too early. */
  finish(): Answer;
}

/** What differs between providers: the shape of requests and answers. */
export interface Dialect<Chunk> {
  /** Sends a request whose answer is streamed. */
  open(request: ModelRequest, form: OutputForm, signal: AbortSignal): Promise<AsyncIterable<Chunk>>;
  /** Sends a request and waits for the whole answer. */
  complete(request: ModelRequest, form: OutputForm, signal: AbortSignal): Promise<Answer>;
  reader(request: ModelRequest): AnswerReader<Chunk>;
}

/** What every provider's adapter can be told. */
export interface ProviderModelOptions {
  /** Name of the provider in model ids and provider blocks, e.g. `openai`. */
  provider?: string;
  /** Name of the model at the provider. */
  model: string;
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** Where the operator sets the key, for error messages, e.g. `OPENAI_API_KEY`. */
  keyName?: string | undefined;
  /** True unless told. */
  streaming?: boolean | undefined;
  /** Milliseconds: the longest silence of a stream, or the longest wait for an answer that is not streamed. */
  timeoutMs: number;
  maxOutputTokens?: number | undefined;
  prices?: PriceTable | undefined;
}

/** One model at one provider, without retries. */
export function createProviderModel<Chunk>(
  dialect: Dialect<Chunk>,
  endpoint: Endpoint,
  options: ProviderModelOptions,
): Model {
  const { streaming = true, timeoutMs, prices = {} } = options;
  const refusedSchemas = new WeakSet<JsonSchema>();

  const failed = (error: unknown, request: ModelRequest, watch: SilenceWatch): unknown => {
    if (request.signal.aborted) return request.signal.reason;
    if (watch.expired()) {
      return modelError("unavailable", endpoint, `sent nothing for ${timeoutMs / 1000} s`, undefined);
    }
    return toModelError(error, endpoint) ?? error;
  };

  const finished = (answer: Answer): ModelEvent => {
    const { input_tokens, output_tokens } = answer.usage;
    const cost = costOf(endpoint.id, answer.usage, prices);
    const usage: Usage = { input_tokens, output_tokens, ...(cost === undefined ? {} : { cost_usd: cost }) };
    return { type: "finished", message: answer.message, usage, model: endpoint.id };
  };

  /** One request to the server. */
  async function* exchange(request: ModelRequest, form: OutputForm): AsyncGenerator<ModelEvent, void> {
    request.signal.throwIfAborted();
    const watch = watchSilence(request.signal, timeoutMs);
    let answer: Answer;
    try {
      if (streaming) {
        const reader = dialect.reader(request);
        for await (const chunk of await dialect.open(request, form, watch.signal)) {
          watch.heard();
          const text = reader.add(chunk);
          if (text === "") continue;
          watch.pause();
          yield { type: "text", text };
          watch.heard();
        }
        // The SDKs end an aborted stream quietly.
        watch.signal.throwIfAborted();
        answer = reader.finish();
      } else {
        answer = await dialect.complete(request, form, watch.signal);
      }
    } catch (error) {
      throw failed(error, request, watch);
    } finally {
      watch.release();
    }
    refuseEmptyAnswer(answer, endpoint);
    yield finished(answer);
  }

  /** The finished event of one request whose text is of no interest while it comes. */
  async function answerTo(request: ModelRequest, form: OutputForm) {
    for await (const event of exchange(request, form)) {
      if (event.type === "finished") return event;
    }
    throw new ModelError("bad_response", `${endpoint.id}: no answer came.`);
  }

  async function structured(request: ModelRequest, schema: JsonSchema): Promise<ModelEvent> {
    if (!refusedSchemas.has(schema)) {
      const event = await answerTo(request, { kind: "schema", schema }).catch((error: unknown) => {
        if (error instanceof ModelError && error.code === "invalid_request") return undefined;
        throw error;
      });
      const text = event === undefined ? undefined : unwrapOutput(event.message.text, schema);
      if (event !== undefined && text !== undefined) return withText(event, text);
      refusedSchemas.add(schema);
    }
    const system = `${request.system}\n\n${outputInstruction(schema)}`;
    const event = await answerTo({ ...request, system }, { kind: "instructed" });
    const text = jsonIn(event.message.text);
    if (text === undefined) {
      throw new ModelError(
        "bad_response",
        `${endpoint.id} answered in words although JSON was asked for. Try again, or use a model with structured output.`,
      );
    }
    return withText(event, text);
  }

  async function* structuredStream(request: ModelRequest, schema: JsonSchema): AsyncGenerator<ModelEvent> {
    yield await structured(request, schema);
  }

  return {
    id: endpoint.id,
    generative: true,
    stream: (request) =>
      request.output_schema === undefined
        ? exchange(request, { kind: "free" })
        : structuredStream(request, request.output_schema),
  };
}

function withText(event: Extract<ModelEvent, { type: "finished" }>, text: string): ModelEvent {
  return { ...event, message: { role: "assistant", text, tool_calls: [] } };
}

function refuseEmptyAnswer({ message, stop }: Answer, endpoint: Endpoint): void {
  if (stop === "done" || message.text !== "" || message.tool_calls.length > 0) return;
  const what =
    stop === "length"
      ? "reached its limit of output tokens before it said anything. Raise the limit or ask for less"
      : "declined to answer. Ask in other words";
  throw new ModelError("invalid_request", `${endpoint.id} ${what}.`);
}

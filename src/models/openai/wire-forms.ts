import type { ModelErrorCode, ModelRequest } from "../../core/ports/model.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import type { AnswerReader, Dialect } from "../provider-model.ts";
import { type ToolRefusal, toolRefusal } from "../tools/tool-refusal.ts";

/** A server's refusal of a request. */
export interface Refusal {
  code: ModelErrorCode;
  /** HTTP status. */
  status: number;
  /** The server's whole explanation in lower case: its message and the parameter that it names. */
  text: string;
}

/** A step from a refused form of requests to a simpler one. */
export interface Concession<Form> {
  /** Whether the refusal is about the feature that this concession drops, and the form still uses it. */
  applies(refusal: Refusal, form: Form, request: ModelRequest): boolean;
  lesser(form: Form): Form;
  /** Whether it changes how tools are written. It is then tried before a tool is left out. */
  ofTools?: true;
}

/** The answer to a request that was accepted, and the form of the request. */
export interface Sent<Form, Answer> {
  form: Form;
  answer: Answer;
}

/**
 * Sends requests in a form that the server accepts. After a refusal the next simpler form is tried at once; the accepted form is
 * remembered for later requests.
 */
export function createWireForms<Form>(
  first: Form,
  concessions: readonly Concession<Form>[],
  endpoint: Endpoint,
) {
  let taken = first;
  // When a tool is named, words of its definition may match any concession.
  const concessionFor = (
    refusal: Refusal,
    ofTools: ToolRefusal | undefined,
    form: Form,
    request: ModelRequest,
  ) => {
    const isNamed = ofTools !== undefined && ofTools.names.size > 0;
    const candidates = concessions.filter((candidate) => !isNamed || candidate.ofTools === true);
    return candidates.find((candidate) => candidate.applies(refusal, form, request));
  };
  /** @throws the error of `send` when no concession applies; ToolRefusal when it is about tools of the body */
  return async <Answer>(
    request: ModelRequest,
    send: (form: Form) => Promise<Answer>,
    bodyOf: (form: Form) => object,
  ): Promise<Sent<Form, Answer>> => {
    let form = taken;
    for (;;) {
      try {
        const answer = await send(form);
        if (form !== taken) taken = form;
        return { form, answer };
      } catch (error) {
        const refusal = refusalOf(error, endpoint);
        const ofTools = refusal && toolRefusal(error, bodyOf(form));
        const concession = refusal && concessionFor(refusal, ofTools, form, request);
        if (concession === undefined) throw ofTools ?? error;
        form = concession.lesser(form);
      }
    }
  };
}

/** An answer that has begun, with the reader of its chunks. The final form of its request is known only then. */
export interface OpenedAnswer extends AsyncIterable<unknown> {
  readonly reader: AnswerReader<unknown>;
}

/** One of OpenAI's APIs. */
export type OpenAiDialect = Dialect<unknown, OpenedAnswer>;

export function openedAnswer<Chunk>(
  chunks: AsyncIterable<Chunk | undefined>,
  reader: AnswerReader<Chunk>,
): OpenedAnswer {
  return { reader, [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator]() };
}

/** The HTTP status of an SDK's error. Undefined for other errors and failed connections. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" ? status : undefined;
}

/** Local servers answer 500 when their template cannot handle a message. */
const refusing: ReadonlySet<number> = new Set([400, 404, 415, 422, 500]);

function refusalOf(error: unknown, endpoint: Endpoint): Refusal | undefined {
  const status = statusOf(error);
  if (status === undefined || !refusing.has(status)) return undefined;
  const code = toModelError(error, endpoint)?.code;
  if (code === undefined) return undefined;
  const body = error instanceof Error && "error" in error ? (JSON.stringify(error.error) ?? "") : "";
  const message = error instanceof Error ? error.message : "";
  return { code, status, text: `${message} ${body}`.toLowerCase() };
}

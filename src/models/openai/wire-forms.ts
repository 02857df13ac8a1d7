import type { ModelErrorCode, ModelRequest } from "../../core/ports/model.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import type { AnswerReader, Dialect } from "../provider-model.ts";
import { type ToolRefusal, toolRefusal } from "../tools/tool-refusal.ts";

/** What a server said when it did not take a request. */
export interface Refusal {
  code: ModelErrorCode;
  /** HTTP status. */
  status: number;
  /** Everything the server said about it, in lower case: its message and the parameter it names. */
  text: string;
}

/** A form of asking that a server takes where it refused another. */
export interface Concession<Form> {
  /** Whether the refusal is about what this concession gives up, and there is something to give up. */
  applies(refusal: Refusal, form: Form, request: ModelRequest): boolean;
  lesser(form: Form): Form;
  /** Whether it changes how tools are said: then it comes before a tool is left out. */
  ofTools?: true;
}

/** A request that was taken, and the form it had. */
export interface Sent<Form, Answer> {
  form: Form;
  answer: Answer;
}

/**
 * Sends requests in the form a server takes. A refusal leads to the next lesser form at once; what was taken is remembered
 * for later requests.
 */
export function createWireForms<Form>(
  first: Form,
  concessions: readonly Concession<Form>[],
  endpoint: Endpoint,
) {
  let taken = first;
  // Words of a tool that is named may be those of any concession.
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
  /** @throws what `send` throws when no concession applies; ToolRefusal when that is about tools of the body */
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

/** An answer that has begun, with the reader of its chunks: which form the request had in the end is known only then. */
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

/** Templates of local servers that cannot take a message fail with 500. */
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

import type { ModelErrorCode, ModelRequest } from "../../core/ports/model.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
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

/**
 * The concession of one feature, whose value changes from `from` to `to`, to servers that refuse it in these words.
 * @param words matches the text of the refusal, which is in lower case
 * @param isConcerned whether a request uses the feature; all do by default
 */
export function concede<Form, Feature extends keyof Form>(
  words: RegExp,
  feature: Feature,
  [from, to]: readonly [from: Form[Feature], to: Form[Feature]],
  isConcerned: (request: ModelRequest) => boolean = () => true,
): Concession<Form> {
  return {
    applies: ({ text }, form, request) => words.test(text) && form[feature] === from && isConcerned(request),
    lesser: (form) => ({ ...form, [feature]: to }),
  };
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
  /**
   * Sends a request until the server accepts a form of it. Returns the answer and that form.
   * @throws the error of `send` when no concession applies; ToolRefusal when it is about tools of the body
   */
  return async <Body extends object, Answer>(
    request: ModelRequest,
    bodyOf: (form: Form) => Body,
    send: (body: Body, form: Form) => Promise<Answer>,
  ) => {
    let form = taken;
    for (;;) {
      const body = bodyOf(form);
      try {
        const answer = await send(body, form);
        taken = form;
        return { form, answer };
      } catch (error) {
        const refusal = refusalOf(error, endpoint);
        const ofTools = refusal && toolRefusal(error, body);
        const concession = refusal && concessionFor(refusal, ofTools, form, request);
        if (concession === undefined) throw ofTools ?? error;
        form = concession.lesser(form);
      }
    }
  };
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

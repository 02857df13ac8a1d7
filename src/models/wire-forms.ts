import type { ModelErrorCode, ModelRequest } from "../core/ports/model.ts";
import type { Post } from "./post-json.ts";
import { type Endpoint, toModelError } from "./provider-error.ts";
import { toolRefusal } from "./tools/tool-refusal.ts";

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
  /** The form to try next. Undefined when the refusal is about something else, or the form no longer uses the feature. */
  lesser(refusal: Refusal, form: Form, request: ModelRequest): Form | undefined;
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
    lesser: ({ text }, form, request) =>
      words.test(text) && form[feature] === from && isConcerned(request)
        ? { ...form, [feature]: to }
        : undefined,
  };
}

/** A request in a form. */
interface Written {
  body: object;
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Sends requests in a form that the server accepts. After a refusal the next simpler form is tried at once; the accepted form is
 * remembered for later requests.
 */
export class WireForms<Form> {
  readonly #post: Post;
  readonly #concessions: readonly Concession<Form>[];
  readonly #endpoint: Endpoint;
  #taken: Form;

  /** @param concessions the first that applies to a refusal is made */
  constructor(post: Post, first: Form, concessions: readonly Concession<Form>[], endpoint: Endpoint) {
    this.#post = post;
    this.#taken = first;
    this.#concessions = concessions;
    this.#endpoint = endpoint;
  }

  /** The form that the server accepted last; the first one before that. */
  get taken(): Form {
    return this.#taken;
  }

  /**
   * Sends a request until the server accepts a form of it. Returns the answer and that form.
   * @throws the error of sending when no concession applies; ToolRefusal when it is about tools of the body
   */
  async send(request: ModelRequest, signal: AbortSignal, write: (form: Form) => Written) {
    let form = this.#taken;
    for (;;) {
      const { body, headers } = write(form);
      try {
        const answer = await this.#post(body, signal, headers);
        this.#taken = form;
        return { form, answer };
      } catch (error) {
        const ofTools = toolRefusal(error, body);
        // When a tool is named, words of its definition may match any concession.
        const isNamed = ofTools !== undefined && ofTools.names.size > 0;
        const lesser = this.#lesser(error, form, request, isNamed);
        if (lesser === undefined) throw ofTools ?? error;
        form = lesser;
      }
    }
  }

  #lesser(error: unknown, form: Form, request: ModelRequest, isNamed: boolean): Form | undefined {
    const refusal = refusalOf(error, this.#endpoint);
    if (refusal === undefined) return undefined;
    for (const { lesser, ofTools } of this.#concessions) {
      const next = !isNamed || ofTools === true ? lesser(refusal, form, request) : undefined;
      if (next !== undefined) return next;
    }
    return undefined;
  }
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

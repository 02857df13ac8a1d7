import type { ModelErrorCode, ModelRequest } from "../core/model.ts";
import { type Endpoint, toModelError } from "./provider-error.ts";

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
  /** @throws what `send` throws when no concession applies */
  return async <Answer>(
    request: ModelRequest,
    send: (form: Form) => Promise<Answer>,
  ): Promise<Sent<Form, Answer>> => {
    let form = taken;
    for (;;) {
      try {
        const answer = await send(form);
        if (form !== taken) taken = form;
        return { form, answer };
      } catch (error) {
        const refusal = refusalOf(error, endpoint);
        const current = form;
        const concession =
          refusal && concessions.find((candidate) => candidate.applies(refusal, current, request));
        if (concession === undefined) throw error;
        form = concession.lesser(current);
      }
    }
  };
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

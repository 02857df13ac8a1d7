import { STATUS_CODES } from "node:http";
import type { z } from "@hono/zod-openapi";
import type { Outcome } from "../core/values/failure.ts";
import type { Json } from "../core/values/json.ts";
import type * as schemas from "./schemas.ts";

/** Failure statuses of the API, each with its default code. */
const codes = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  413: "too_large",
  415: "unsupported_media_type",
  429: "too_many_requests",
  500: "internal",
  503: "not_ready",
} as const;

export type ProblemStatus = keyof typeof codes;

/** An expected failure of a request. Routes throw it; the response is a problem document with `message` as its `detail`. */
export class HttpProblem extends Error {
  readonly status: ProblemStatus;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the document. */
  readonly more: { readonly [name: string]: Json };
  constructor(
    status: ProblemStatus,
    detail: string,
    { code = codes[status], headers = {}, more = {}, cause }: ProblemMembers = {},
  ) {
    super(detail, { cause });
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.more = more;
  }
}

interface ProblemMembers {
  code?: string | undefined;
  headers?: Record<string, string>;
  more?: HttpProblem["more"] | undefined;
  cause?: unknown;
}

/** The RFC 9457 document of a failure. */
export function problemResponse(problem: HttpProblem): Response {
  const document: z.output<typeof schemas.problem> = {
    ...problem.more,
    type: "about:blank",
    title: STATUS_CODES[problem.status] ?? "Error",
    status: problem.status,
    detail: problem.message,
    code: problem.code,
  };
  return new Response(JSON.stringify(document), {
    status: problem.status,
    headers: { ...problem.headers, "Content-Type": "application/problem+json" },
  });
}

/** Whether a status is a failure status of the API. */
export function isProblemStatus(status: number): status is ProblemStatus {
  return status in codes;
}

/** The value of an outcome. @throws HttpProblem when it failed */
export function resultOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const { status, message, code, details: more } = outcome;
  throw new HttpProblem(status, message, { code, more });
}

import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HttpProblem, problemResponse } from "./http-problem.ts";

/** The largest request body, bytes. */
export const largestBody = 4 * 1024 * 1024;

/** Answers 413 for a larger body, read no further than the limit. */
export function limitBody(): MiddlewareHandler {
  const detail = `The request is larger than ${largestBody / 1024 / 1024} MB. Send less at once.`;
  return bodyLimit({
    maxSize: largestBody,
    onError: () => problemResponse(new HttpProblem(413, detail)),
  });
}

/**
 * Lets only JSON bodies through. A page of another origin can send `text/plain` or a form without asking first, but not
 * `application/json`: this is part of the protection against such pages, so an empty body must say so, too.
 */
export function requireJson(): MiddlewareHandler {
  return async (context, next) => {
    if (context.req.method !== "POST" && context.req.method !== "PUT") return next();
    const type = context.req.header("content-type") ?? "";
    if (!/^application\/json *(;|$)/i.test(type)) {
      throw new HttpProblem(
        415,
        `Send the body as JSON with Content-Type: application/json (it was ${type === "" ? "missing" : `"${type.slice(0, 100)}"`}).`,
      );
    }
    try {
      await context.req.json();
    } catch (cause) {
      const reason = cause instanceof SyntaxError ? `: ${cause.message}` : "";
      throw new HttpProblem(400, `The body is not valid JSON${reason}. Send {} for an empty one.`, {
        code: "invalid_json",
        cause,
      });
    }
    return next();
  };
}

/** Recurring parts of route definitions. */
import { z } from "@hono/zod-openapi";
import { channelName } from "../../app/services/shapes.ts";
import { HttpProblem } from "../http-problem.ts";
import * as schemas from "../schemas.ts";

/** The responses of a route: this JSON, or a problem. */
export function answers<Schema extends z.ZodType>(schema: Schema, description: string) {
  return {
    200: { description, content: { "application/json": { schema } } },
    ...problems,
  };
}

export const problems = {
  default: {
    description: "what went wrong, where, and what to do",
    content: { "application/problem+json": { schema: schemas.problem } },
  },
};

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } };
}

export const turnParams = z.object({ id: z.string().min(1).max(300).describe("a turn's id") });
export const namespaceParams = z.object({ ns: channelName });

/** @throws HttpProblem (404) that says what is not there */
export function found<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value;
  throw new HttpProblem(404, `There is no ${what}.`);
}

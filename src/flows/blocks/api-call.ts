import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { SkillFailure } from "../../core/define-skill.ts";
import type { Json } from "../../core/json.ts";
import { defineBlock } from "../block.ts";
import { substitute, substituteDeep, substituteJson, substituteUrl, type Variables } from "../substitute.ts";
import { answered } from "./answered.ts";

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const pairs = z
  .array(z.object({ key: text, value: text.nullish().transform((value) => value ?? "") }))
  .nullish()
  .transform((list) => (list ?? []).filter(({ key }) => key.trim() !== ""));

const config = z.object({
  url: z.string().trim().min(1, "it is missing"),
  method: z
    .string()
    .nullish()
    .transform((method) => method?.trim() || "GET"),
  headers: pairs,
  bodyType: z.string().nullish(),
  body: z.json().nullish(),
  formData: pairs,
});
type ApiCall = z.output<typeof config>;

const withBody = new Set(["POST", "PUT", "PATCH"]);

/** Calls an HTTP API. The result is the response's JSON, or its text when it is none. */
export const apiCall = defineBlock({
  config,
  effect: ({ method }) => (method.toUpperCase() === "GET" ? "read_only" : "side_effect"),
  summary: ({ method, url }) => `Calling ${method.toUpperCase()} ${hostOf(url)}`.trim(),
  async run(call, { variables, context }) {
    const method = substitute(call.method, variables).toUpperCase();
    const { body, contentType } = withBody.has(method) ? bodyOf(call, variables) : {};
    const headers = headersOf(call, variables, contentType);
    const response = await context.web.fetch(substituteUrl(call.url, variables), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: context.signal,
    });
    return parsed(answered(response).body);
  },
});

/** The host a URL names itself; empty when a variable does. */
function hostOf(url: string): string {
  const host = URL.parse(url)?.host ?? "";
  return /^[\w.:-]+$/.test(host) ? host : "";
}

interface Body {
  body?: string;
  /** What the body type asks for; `exact` replaces any other. */
  contentType?: { value: string; exact: boolean };
}

function bodyOf({ bodyType, body, formData }: ApiCall, variables: Variables): Body {
  if (bodyType === "form") {
    const fields = formData.map(({ key, value }): [string, string] => [
      substitute(key, variables),
      substitute(value, variables),
    ]);
    return {
      body: new URLSearchParams(fields).toString(),
      contentType: { value: "application/x-www-form-urlencoded", exact: true },
    };
  }
  if (body === undefined || body === null || body === "") return {};
  if (bodyType === "json") {
    return { body: jsonBody(body, variables), contentType: { value: "application/json", exact: false } };
  }
  const filled = substituteDeep(body, variables);
  return { body: typeof filled === "string" ? filled : JSON.stringify(filled) };
}

/** @throws SkillFailure `invalid_body` */
function jsonBody(body: Json, variables: Variables): string {
  if (typeof body !== "string") return JSON.stringify(substituteDeep(body, variables));
  const filled = substituteJson(body, variables);
  try {
    JSON.parse(filled);
    // As it was written: parsing would round long numbers.
    return filled;
  } catch {
    return repairedBody(filled);
  }
}

function repairedBody(filled: string): string {
  try {
    return JSON.stringify(JSON.parse(jsonrepair(filled)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkillFailure("invalid_body", `The body is not JSON: ${reason}. Correct it in the flow.`);
  }
}

/** By lower-case name; of several with one name the last is sent. */
function headersOf(
  { headers }: ApiCall,
  variables: Variables,
  contentType: Body["contentType"],
): Record<string, string> {
  const named = new Map(
    headers.map(({ key, value }) => [
      substitute(key, variables).trim().toLowerCase(),
      substitute(value, variables),
    ]),
  );
  const own = named.get("content-type") ?? "";
  if (contentType !== undefined && (contentType.exact || !/json/i.test(own))) {
    named.set("content-type", contentType.value);
  }
  return Object.fromEntries(named);
}

function parsed(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

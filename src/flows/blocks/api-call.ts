import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { ExactNumber, parseExactly } from "../../base/exact-number.ts";
import { readJson } from "../../base/json-reader.ts";
import { SkillFailure } from "../../core/skill/define-skill.ts";
import type { ToolEffect } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { type BlockScope, defineBlock } from "../block.ts";
import { type AddressValues, fillAddress, maskedRequest } from "../flow-request.ts";
import { answered } from "../http-failure.ts";
import { namesIn, substitute, substituteDeep, substituteJson, type Variables } from "../substitute.ts";

const text = z.union([z.string(), z.number(), z.boolean(), z.instanceof(ExactNumber)]).transform(String);
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
  body: jsonSchema.nullish(),
  formData: pairs,
  idempotent: z.boolean().nullish(),
});
type ApiCall = z.output<typeof config>;

const withBody = new Set(["POST", "PUT", "PATCH"]);

/** RFC 9110 section 9.2. */
const safe = new Set(["GET", "HEAD", "OPTIONS"]);
const idempotent = new Set(["PUT", "DELETE"]);

function effectOf({ method, idempotent: declared }: ApiCall): ToolEffect {
  const name = method.toUpperCase();
  if (safe.has(name)) return "read_only";
  return declared === true || (declared !== false && idempotent.has(name)) ? "idempotent" : "side_effect";
}

/** Calls an HTTP API. The result is the response's JSON, or else its text. */
export const apiCall = defineBlock({
  config,
  effect: effectOf,
  repeatable: (call) => effectOf(call) !== "side_effect",
  summary: ({ method, url }) => `Calling ${method.toUpperCase()} ${hostOf(url)}`.trim(),
  target: (call, scope) => ({
    ...fillAddress(call.url, scope),
    secrets: carriesSecrets(call, scope),
    effect: effectOf(call),
  }),
  async run(call, scope) {
    const { context } = scope;
    const { url, ...request } = requestOf(call, scope);
    const response = await context.web.fetch(url, { ...request, signal: context.signal });
    return parsed(answered(response, context.now()).body);
  },
  describe: (call, scope) => ({ request: maskedRequest(requestOf(call, scope)) }),
});

/** Headers that do not identify the caller. */
const plainHeaders = new Set(["accept", "accept-language", "content-type", "user-agent"]);

/** Whether the request may hold secrets: a header that is not plain, or a fixed value. */
function carriesSecrets({ headers, body, formData }: ApiCall, { variables, shown }: BlockScope): boolean {
  if (headers.some(({ key }) => !plainHeaders.has(key.trim().toLowerCase()))) return true;
  return namesIn([body ?? null, formData]).some((name) => variables.has(name) && !shown.has(name));
}

/** @throws SkillFailure `address_changed`, `invalid_body`, `invalid_header`, `invalid_method` */
function requestOf(call: ApiCall, values: AddressValues) {
  const { variables } = values;
  const method = substitute(call.method, variables).toUpperCase();
  if (!/^([A-Z]+|\$\{.*\})$/.test(method)) {
    const message = `${JSON.stringify(method.slice(0, 50))} is not an HTTP method.`;
    throw new SkillFailure("invalid_method", message, "Correct it in the flow.");
  }
  const { body, contentType } = withBody.has(method) ? bodyOf(call, variables) : {};
  const headers = headersOf(call, variables, contentType);
  const { url } = fillAddress(call.url, values);
  return { method, url, headers, ...(body === undefined ? {} : { body }) };
}

/** The literal host of a URL; empty if it comes from a variable. */
function hostOf(url: string): string {
  const host = URL.parse(url)?.host ?? "";
  return /^[\w.:-]+$/.test(host) ? host : "";
}

interface Body {
  body?: string;
  /** The content type of the body type. `exact`: it replaces any other. */
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
  const read = readJson(filled, jsonrepair);
  if (!read.ok)
    throw new SkillFailure("invalid_body", `The body is not JSON: ${read.reason}. Correct it in the flow.`);
  // Plain JSON is sent unchanged: parsing would round long numbers.
  return read.lenient ? JSON.stringify(read.value) : filled;
}

/** The headers by lower-case name. Of several headers with one name, the last is sent. */
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
  for (const [name, value] of named) checkHeader(name, value);
  return Object.fromEntries(named);
}

/** Refuses invalid headers: a value with a line break could inject another header. @throws SkillFailure `invalid_header` */
function checkHeader(name: string, value: string): void {
  const problem = !headerName.test(name) ? "is not a header name" : headerValue.test(value) ? "" : badValue;
  if (problem === "") return;
  const message = `${JSON.stringify(name.slice(0, 100))} ${problem}.`;
  throw new SkillFailure("invalid_header", message, "Correct the header, or the variables in it.");
}

/** RFC 9110 section 5.6.2, and placeholders that a dry run leaves. */
const headerName = /^[!#$%&'*+.^_`|~{}\w-]+$/;
/** RFC 9110 section 5.5: visible characters of Latin-1, spaces and tabs. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const badValue = "has a value with line breaks or characters that headers cannot hold";

function parsed(body: string): Json {
  try {
    return parseExactly(body) as Json;
  } catch {
    return body;
  }
}

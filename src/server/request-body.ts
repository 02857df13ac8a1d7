import { once } from "node:events";
import type { Readable } from "node:stream";
import type { BusboyInstance } from "@fastify/busboy";
import type { MiddlewareHandler } from "hono";
import { parseExactly } from "../base/exact-number.ts";
import { parseJson } from "../core/values/json.ts";
import { HttpProblem } from "./http-problem.ts";

/** Maximum bytes of a JSON body. */
const maxBodyBytes = 4 * 1024 * 1024;
/** Maximum bytes of a form in addition to the upload. */
const formBytes = 1024 * 1024;

/**
 * Accepts only JSON bodies, up to the limit. A page of another origin can send `text/plain` or a form without a preflight request, but not
 * `application/json`. This is part of the protection against such pages, so an empty body, which means `{}`, needs the content type too.
 * `uploads` are paths that accept forms as well, with the maximum bytes of an upload; there only the checks of Origin and Sec-Fetch-Site
 * protect.
 */
export function requireJson(uploads: ReadonlyMap<string, number>): MiddlewareHandler {
  return async (context, next) => {
    const { method, raw, path } = context.req;
    if (method !== "POST" && method !== "PUT") return next();
    const type = context.req.header("content-type") ?? "";
    const maxUpload = /^multipart\/form-data *;/i.test(type) ? uploads.get(path) : undefined;
    const isUpload = maxUpload !== undefined;
    if (!isUpload) requireJsonType(type);
    const limit = isUpload ? maxUpload + formBytes : maxBodyBytes;
    if (Number(context.req.header("content-length") ?? 0) > limit) throw tooLarge(limit);
    const pieces = limited(raw.body, limit);
    if (isUpload) {
      // Hono's validators look here for a form before they parse the body.
      context.req.bodyCache.formData = await readForm(pieces, type);
      return next();
    }
    const body = validJson(Buffer.concat(await Array.fromAsync(pieces)));
    // Hono's validators read the body from the raw request, whose stream has been consumed.
    context.req.raw = new Request(raw.url, { method, headers: raw.headers, body, signal: raw.signal });
    context.req.json = async <T>() => parseExactly(await context.req.text()) as T;
    return next();
  };
}

function requireJsonType(type: string): void {
  if (/^application\/json *(;|$)/i.test(type)) return;
  const was = type === "" ? "missing" : `"${type.slice(0, 100)}"`;
  const detail = `Send the body as JSON with Content-Type: application/json (it was ${was}). Send {} for an empty one.`;
  throw new HttpProblem(415, detail);
}

async function* limited(body: Request["body"], limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.byteLength;
    if (size > limit) throw tooLarge(limit);
    yield piece;
  }
}

function validJson(body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  if (body.byteLength === 0) return Buffer.from("{}");
  try {
    parseJson(body.toString("utf8"));
    return body;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? `: ${cause.message}` : "";
    const detail = `The body is not valid JSON${reason}. Send {} for an empty one.`;
    throw new HttpProblem(400, detail, { code: "invalid_json", cause });
  }
}

function tooLarge(limit: number): HttpProblem {
  const megabytes = Math.round(limit / 1024 / 1024);
  return new HttpProblem(413, `The request is larger than ${megabytes} MB. Send less at once.`);
}

/** Maximum fields and files of one form. */
const maxParts = 1_000;

/**
 * Reads a form (multipart/form-data) as it arrives, so that a large file never blocks other requests.
 *
 * @param body pieces of the body; their errors are passed on
 * @throws HttpProblem 400 when the form is damaged, cut off, or has more than 1,000 parts
 */
async function readForm(body: AsyncIterable<Uint8Array>, contentType: string): Promise<FormData> {
  const { parser, form, failed } = await startParser(contentType);
  for await (const piece of body)
    if (!parser.write(piece)) await Promise.race([once(parser, "drain"), failed]);
  const finished = once(parser, "finish");
  parser.end();
  await Promise.race([finished, failed]);
  return form;
}

async function startParser(contentType: string) {
  const { Busboy } = await import("@fastify/busboy");
  try {
    const limits = { parts: maxParts, fieldSize: Number.POSITIVE_INFINITY };
    const parser = new Busboy({ headers: { "content-type": contentType }, preservePath: true, limits });
    return { parser, form: collect(parser), failed: failureOf(parser) };
  } catch (cause) {
    throw damaged(cause);
  }
}

function collect(parser: BusboyInstance): FormData {
  const form = new FormData();
  parser.on("field", (name, value) => form.append(unescaped(name), value));
  parser.on("file", (name, content: Readable, fileName, _encoding, type) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    content.on("data", (piece) => pieces.push(piece));
    content.on("error", () => parser.destroy());
    content.on("end", () => form.append(unescaped(name), new File(pieces, unescaped(fileName), { type })));
  });
  return form;
}

/** Rejects when the form cannot be read to its end. */
function failureOf(parser: BusboyInstance): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  parser.on("error", (cause) => reject(damaged(cause)));
  parser.on("close", () => reject(damaged()));
  const full = new HttpProblem(400, `The form has more than ${maxParts} parts. Send fewer.`);
  parser.on("partsLimit", () => reject(full));
  // After the end of the form nobody awaits the promise.
  promise.catch(() => undefined);
  return promise;
}

/** The three characters that browsers and programs escape in names (HTML standard, "multipart/form-data encoding algorithm"). */
function unescaped(name = ""): string {
  return name.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}

function damaged(cause?: unknown): HttpProblem {
  const detail = "The form cannot be read: it is damaged, or was cut off. Send it again.";
  return new HttpProblem(400, detail, { cause });
}

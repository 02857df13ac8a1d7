import { once } from "node:events";
import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { HttpProblem } from "./http-problem.ts";

/** Maximum fields and files of one form. */
const maxParts = 1_000;

/**
 * Reads a form (multipart/form-data) as it arrives: a large file never holds up other requests, as it would if the form were parsed at once.
 *
 * @param body pieces of the body; an error that they throw is passed on
 * @throws HttpProblem 400 when the form is damaged, cut off, or has more than 1,000 parts
 */
export async function readForm(body: AsyncIterable<Uint8Array>, contentType: string): Promise<FormData> {
  const { parser, form, failed } = startParser(contentType);
  for await (const piece of body)
    if (!parser.write(piece)) await Promise.race([once(parser, "drain"), failed]);
  const finished = once(parser, "finish");
  parser.end();
  await Promise.race([finished, failed]);
  return form;
}

function startParser(contentType: string): {
  parser: BusboyInstance;
  form: FormData;
  failed: Promise<never>;
} {
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
  parser.on("partsLimit", () =>
    reject(new HttpProblem(400, `The form has more than ${maxParts} parts. Send fewer.`)),
  );
  // A form that was read to its end fails no more.
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

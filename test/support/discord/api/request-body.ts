import type { IncomingMessage } from "node:http";
import type { UploadedFile } from "./message-body.ts";

/** Bytes of a whole request. */
const maxRequest = 25 * 1024 * 1024;

export interface RequestBody {
  raw: unknown;
  files: UploadedFile[];
  invalid: boolean;
  tooLarge: boolean;
}

/** Reads JSON, or `payload_json` and `files[n]` of a form. Source: Discord reference, "Uploading Files". */
export async function readRequestBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  const nothing: RequestBody = {
    raw: undefined,
    files: [],
    invalid: false,
    tooLarge: bytes.length > maxRequest,
  };
  if (bytes.length === 0 || nothing.tooLarge) return nothing;
  if (!type.startsWith("multipart/form-data")) return { ...nothing, ...parseJson(bytes.toString()) };
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const payload = form.get("payload_json");
  const files: UploadedFile[] = [];
  for (const [name, value] of form) {
    const field = /^files\[(\d+)\]$/.exec(name)?.[1];
    if (field === undefined || typeof value === "string") continue;
    const contentType = value.type || "application/octet-stream";
    files.push({ field, filename: value.name, contentType, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { ...nothing, ...(typeof payload === "string" ? parseJson(payload) : {}), files };
}

function parseJson(text: string): { raw: unknown; invalid: boolean } {
  try {
    return { raw: JSON.parse(text), invalid: false };
  } catch {
    return { raw: undefined, invalid: true };
  }
}

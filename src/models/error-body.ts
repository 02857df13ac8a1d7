import { isRecord } from "../base/record.ts";

/**
 * The body of a failed request in OpenAI's shape, `{error: {message, …}}`. Others are known of Gemini (a list with one error),
 * Ollama (`{error: "…"}`), FastAPI as in vLLM (`{detail: …}`), Mistral (`{message, type}`) and OpenRouter, where
 * `metadata.raw` is what the server behind it said. What is not JSON is answered as it is.
 */
export function inOpenAiShape(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const first = Array.isArray(body) ? body[0] : body;
  if (!isRecord(first)) return JSON.stringify({ error: { message: said(first) } });
  const { error, detail, message } = first;
  if (isRecord(error)) return JSON.stringify({ ...first, error: { ...error, message: withRaw(error) } });
  const words = said(error ?? message) || said(detail);
  return words === "" ? JSON.stringify(first) : JSON.stringify({ error: { ...first, message: words } });
}

/** OpenRouter's own words are "Provider returned error". */
function withRaw({ message, metadata }: Record<string, unknown>): unknown {
  const raw = isRecord(metadata) ? said(metadata.raw) : "";
  if (raw === "") return message;
  const inner = innerMessage(raw);
  return `${said(message)}: ${inner}`;
}

function innerMessage(raw: string): string {
  try {
    const body: unknown = JSON.parse(raw);
    const error = isRecord(body) ? (body.error ?? body) : undefined;
    return isRecord(error) && typeof error.message === "string" ? error.message : raw;
  } catch {
    return raw;
  }
}

/** Validation errors come as lists of `{loc, msg}`. */
function said(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(said).filter(Boolean).join("; ");
  if (!isRecord(value)) return "";
  const place = Array.isArray(value.loc) ? `${value.loc.join(".")}: ` : "";
  return typeof value.msg === "string" ? `${place}${value.msg}` : said(value.message ?? value.detail);
}

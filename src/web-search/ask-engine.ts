import type { z } from "zod";
import { type Web, WebError } from "../core/web.ts";
import type { WebHit } from "../core/web-search.ts";

/** How one engine is asked. */
export interface EngineRequest<Answer> {
  /** For messages. */
  name: string;
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON with POST. */
  body?: object;
  answer: z.ZodType<Answer>;
  signal: AbortSignal;
}

/** Longest wait for one engine, ms. */
const patience = 12_000;

/**
 * Asks an engine with a JSON API. A redirect is not followed: it would take the key along.
 * @throws Error with a message for people that quotes nothing the server said
 */
export async function askEngine<Answer>(
  web: Web,
  { name, url, headers = {}, body, answer, signal }: EngineRequest<Answer>,
): Promise<Answer> {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await web
    .fetch(url, {
      ...sent,
      headers: { accept: "application/json", ...type, ...headers },
      signal,
      timeout_ms: patience,
      mayFollow: async () => false,
    })
    .catch((error: unknown) => {
      if (error instanceof WebError)
        throw new Error(`${name}: ${webWords[error.code] ?? "it did not answer"}`);
      throw error;
    });
  if (response.status !== 200) throw new Error(`${name}: ${statusWords(response.status)}`);
  const parsed = answer.safeParse(jsonOf(response.body));
  if (!parsed.success) throw new Error(`${name}: it sent something that cannot be read`);
  return parsed.data;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const webWords: Partial<Record<WebError["code"], string>> = {
  timed_out: "it took too long",
  too_large: "its answer is too large",
  address_refused: "its address may not be reached; an operator can allow the host (net.allow)",
  redirect_refused: "it redirects elsewhere; check its address",
};

function statusWords(status: number): string {
  if (status === 401 || status === 403)
    return "it refused the key, or JSON is switched off there; whoever runs the bot has to check it";
  if (status === 402 || status === 432 || status === 433) return "the plan's credit is used up";
  if (status === 429) return "it takes no more requests for now";
  return `it answered ${status}`;
}

/** A text of an engine without its markup, in one line. */
function plainText(text: string | null | undefined, longest = 1_200): string {
  return (text ?? "")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39|#x27|nbsp);/g, (_whole, name: string) => entities[name] ?? " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longest);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };

/** A hit with a web address; undefined for anything else that engines list. */
export function hitOf(given: {
  title?: string | null | undefined;
  url: string;
  text?: string | null | undefined;
  date?: string | null | undefined;
}): Omit<WebHit, "engines">[] {
  const url = URL.parse(given.url);
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  const date = given.date?.trim();
  return [
    {
      title: plainText(given.title, 300) || url.host,
      url: url.href,
      text: plainText(given.text),
      ...(date ? { date: date.slice(0, 40) } : {}),
    },
  ];
}

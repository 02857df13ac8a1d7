import { z } from "zod";
import { beginningOf } from "../base/markdown-text.ts";
import { type Web, WebError } from "../core/ports/web.ts";

/** How one engine is asked. */
export interface EngineRequest<Answer> {
  /** For messages. */
  name: string;
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON with POST. */
  body?: object;
  answer: z.ZodType<Answer>;
  /** What a refusal (401, 403) means with this engine, unless its key is wrong. */
  refusal?: string;
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
  { name, url, headers = {}, body, answer, refusal, signal }: EngineRequest<Answer>,
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
  if (response.status !== 200) throw new Error(`${name}: ${statusWords(response, refusal)}`);
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

/** Brave answers 422 with this code to a key it does not know. */
const unknownKey = /"code"\s*:\s*"SUBSCRIPTION_TOKEN_INVALID"/;

function statusWords(
  { status, body }: { status: number; body: string },
  refusal = "it refused the key; whoever runs the bot has to check it",
): string {
  if (status === 401 || status === 403 || (status === 422 && unknownKey.test(body))) return refusal;
  if (status === 402 || status === 432 || status === 433) return "the plan's credit is used up";
  if (status === 429) return "it takes no more requests for now";
  return `it answered ${status}`;
}

/** A text that engines may leave out, or send as something else. */
export const engineText = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((text) => text ?? "");

/** Results of one shape. Those of another, without an address for example, are left out: the others still count. */
export function resultsOf<Result>(result: z.ZodType<Result>) {
  return z.array(z.unknown()).transform((all) => all.flatMap((each) => result.safeParse(each).data ?? []));
}

/** As many whole words of a search as an engine takes. */
export function fittingWords(text: string, most: { characters: number; words?: number }): string {
  const words = text
    .trim()
    .split(/\s+/)
    .slice(0, most.words ?? Number.POSITIVE_INFINITY);
  while (words.length > 1 && words.join(" ").length > most.characters) words.pop();
  return beginningOf(words.join(" "), most.characters);
}

import type { WebEngine, WebHit, WebQuery } from "../core/ports/web.ts";
import { type MeteredUsage, type Price, pricedUsage, withFee } from "./prices.ts";
import { type Endpoint, toModelError } from "./provider-error.ts";

/**
 * US dollars for one search, at both vendors: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool,
 * https://developers.openai.com/api/docs/pricing
 */
const searchFee = 0.01;

/** What a model found on the web. */
interface SearchAnswer {
  hits: Omit<WebHit, "engines">[];
  /** The number of searches that are charged. */
  searches: number;
  /** Why there are no results. */
  failed: string | undefined;
  metered: MeteredUsage | undefined;
}

/** An engine whose searches are made by a model of its provider. */
export function createModelSearch(
  { name, endpoint, price }: { name: string; endpoint: Endpoint; price: Price | undefined },
  ask: (query: WebQuery, signal: AbortSignal) => Promise<SearchAnswer>,
): WebEngine {
  return {
    name,
    async search(query, signal) {
      try {
        const { hits, searches, failed, metered } = await ask(query, signal);
        const usage = withFee(pricedUsage(metered, price), searches * searchFee);
        return {
          hits,
          failed: failed && `${name}: ${failed}`,
          ...recencyNotes(name, query),
          usage: { model: endpoint.id, ...usage },
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = toModelError(error, endpoint);
        throw new Error(`${name}: ${failure?.message ?? "it sent something unreadable"}`);
      }
    },
  };
}

/** The prompt for a model that searches the web. */
export function askedSearch({ words, within }: WebQuery): string {
  const recent = within === undefined ? "" : ` Only what is not older than a ${within} counts.`;
  return `Search the web once for: ${words}\n${recent} Then write one sentence for each useful source that says what it tells, citing it.`;
}

/** A note that the age of results is only a request to the model. */
function recencyNotes(name: string, { within }: WebQuery): { notes?: string[] } {
  if (within === undefined) return {};
  return { notes: [`${name} is asked for results within a ${within}, and may not keep to it.`] };
}

import { errorText } from "../base/error-text.ts";
import { noWebSearch, type WebEngine, type WebSearch, WebSearchError } from "../core/web-search.ts";
import { mergeHits } from "./merge-hits.ts";

const howToGetOne =
  "An operator sets BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL; each is had in a minute. Until then, ask people for the address of a page.";

/**
 * Searches with all engines at the same time. One that fails is a note; only when all fail the search does.
 * @param engines those to ask; none where the operator switched searching off
 */
export function createWebSearch(engines: readonly WebEngine[]): WebSearch {
  if (engines.length === 0) return noWebSearch("Searching the web is switched off here.", howToGetOne);
  return {
    engines: engines.map(({ name }) => name),
    async search(query, signal) {
      const asked = await Promise.allSettled(engines.map((engine) => engine.search(query, signal)));
      signal.throwIfAborted();
      const answered = asked.flatMap((each, at) => {
        const engine = engines[at]?.name ?? "";
        return each.status === "fulfilled" ? [{ engine, ...each.value }] : [];
      });
      const failures = asked.flatMap((each) => (each.status === "rejected" ? [errorText(each.reason)] : []));
      if (answered.length === 0) {
        const message = `No search engine answered. ${failures.join("; ")}.`;
        throw new WebSearchError("failed", message, { hint: `Try again in a moment. ${howToGetOne}` });
      }
      const failed = failures.map((failure) => `${failure}.`);
      const usage = answered.flatMap((each) => each.usage ?? []);
      return {
        hits: mergeHits(answered, query.most),
        engines: answered.map(({ engine }) => engine),
        notes: [...answered.flatMap(({ notes = [] }) => notes), ...failed],
        ...(usage.length === 0 ? {} : { usage }),
      };
    },
  };
}

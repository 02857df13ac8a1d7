import { errorText } from "../base/error-text.ts";
import { noWebSearch, type WebEngine, type WebSearch, WebSearchError } from "../core/ports/web.ts";
import { encyclopaedia } from "./engines.ts";
import { mergeHits } from "./merge-hits.ts";
import { readableHit } from "./readable-hit.ts";

/** How to get an engine, for people. */
export const howToGetOne =
  "An operator sets TAVILY_API_KEY or EXA_API_KEY (both are free to begin with), BRAVE_API_KEY or SEARXNG_URL; each is had in a minute.";

const untilThen = "Until then, ask people for the address of a page.";

/** How long the others are waited for once an engine has found something, ms. */
const usualGrace = 15_000;

/**
 * Searches with all engines at the same time. One that fails, or is far slower than the others, is a note; only when all fail the search
 * does.
 * @param engines those to ask; none where the operator switched searching off
 */
export function createWebSearch(engines: readonly WebEngine[], graceMs = usualGrace): WebSearch {
  if (engines.length === 0)
    return noWebSearch(
      "Searching the web is switched off here.",
      `An operator can switch it on (search.engines). ${untilThen}`,
    );
  return {
    engines: engines.map(({ name }) => name),
    async search(query, signal) {
      const enough = new AbortController();
      const until = AbortSignal.any([signal, enough.signal]);
      let grace: NodeJS.Timeout | undefined;
      const asked = await Promise.allSettled(
        engines.map(async (engine) => {
          const found = await engine.search(query, until);
          if (found.hits.length > 0) grace ??= setTimeout(() => enough.abort(), graceMs);
          return { ...found, engine: engine.name, hits: found.hits.flatMap((hit) => readableHit(hit) ?? []) };
        }),
      );
      clearTimeout(grace);
      signal.throwIfAborted();
      const ended = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const usage = ended.flatMap((each) => each.usage ?? []);
      const answered = ended.filter(({ failed }) => failed === undefined);
      const failures = asked.flatMap((each, at) => {
        if (each.status === "fulfilled") return each.value.failed ?? [];
        const isSlow = each.reason === enough.signal.reason && enough.signal.aborted;
        return isSlow ? `${engines[at]?.name}: it took too long` : errorText(each.reason).replace(/\.$/, "");
      });
      if (answered.length === 0) {
        const message = `No search engine answered. ${failures.join("; ")}.`;
        const hint = `Try again in a moment. ${howToGetOne} ${untilThen}`;
        throw new WebSearchError("failed", message, { hint, usage });
      }
      const failed = failures.map((failure) => `${failure}.`);
      return {
        hits: mergeHits(answered, query.most),
        engines: answered.map(({ engine }) => engine),
        notes: [...whenAlone(answered, engines), ...answered.flatMap(({ notes = [] }) => notes), ...failed],
        ...(usage.length === 0 ? {} : { usage }),
      };
    },
  };
}

/** That an encyclopaedia is all that was searched. */
function whenAlone(answered: readonly { engine: string }[], engines: readonly WebEngine[]): string[] {
  if (answered.some(({ engine }) => engine !== encyclopaedia)) return [];
  if (engines.length > 1) return ["Only Wikipedia was searched."];
  return [`Only Wikipedia was searched, since no search engine is set up. ${howToGetOne}`];
}

import { errorText } from "../base/error-text.ts";
import { onOneLine, withoutInvisible } from "../base/text/invisible-text.ts";
import {
  noWebSearch,
  type WebEngine,
  type WebHit,
  type WebSearch,
  WebSearchError,
} from "../core/ports/web.ts";
import { encyclopaedia } from "./engines.ts";

/** Advice for people on how to get an engine. */
export const howToGetOne =
  "An operator sets TAVILY_API_KEY or EXA_API_KEY (both have a free tier), BRAVE_API_KEY or SEARXNG_URL.";

const untilThen = "Until then, ask people for the address of a page.";

/** Maximum wait for the other engines after the first result, ms. */
const usualGrace = 15_000;

/**
 * Searches with all engines at the same time. An engine that fails, or is much slower than the others, only causes a note. The search
 * fails only if all engines fail.
 * @param engines the engines to use; empty if the operator has switched searching off
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
      const decoder = await import("htmlparser2");
      let grace: NodeJS.Timeout | undefined;
      const asked = await Promise.allSettled(
        engines.map(async (engine) => {
          const found = await engine.search(query, until);
          if (found.hits.length > 0) grace ??= setTimeout(() => enough.abort(), graceMs);
          const hits = found.hits.flatMap((hit) => readableHit(hit, decoder) ?? []);
          return { ...found, engine: engine.name, hits };
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
        usage: usage.length === 0 ? undefined : usage,
      };
    },
  };
}

/** A note if only the encyclopaedia was searched. */
function whenAlone(answered: readonly { engine: string }[], engines: readonly WebEngine[]): string[] {
  if (answered.some(({ engine }) => engine !== encyclopaedia)) return [];
  if (engines.length > 1) return ["Only Wikipedia was searched."];
  return [`Only Wikipedia was searched, since no search engine is set up. ${howToGetOne}`];
}

/** The results of an engine, best first. */
interface FoundBy {
  engine: string;
  hits: readonly Omit<WebHit, "engines">[];
}

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const rankOffset = 60;

/** A key that is the same for different spellings of one address. */
export function addressKey(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  const host = url.host.replace(/^(www|m)\./, "");
  return `${host}${url.pathname.replace(/\/$/, "")}${url.search}`;
}

/** Merges the results: each address once, first those that several engines rank high. */
function mergeHits(found: readonly FoundBy[], maxHits: number): WebHit[] {
  const merged = new Map<string, { hit: WebHit; score: number }>();
  for (const { engine, hits } of found) {
    for (const [rank, hit] of hits.entries()) {
      const key = addressKey(hit.url);
      const known = merged.get(key);
      // An address that an engine lists twice counts once.
      const isNew = known?.hit.engines.includes(engine) !== true;
      const score = (known?.score ?? 0) + (isNew ? 1 / (rankOffset + rank + 1) : 0);
      merged.set(key, { hit: joined(known?.hit, hit, engine), score });
    }
  }
  return [...merged.values()]
    .sort((one, other) => other.score - one.score)
    .slice(0, maxHits)
    .map(({ hit }) => hit);
}

function joined(known: WebHit | undefined, hit: Omit<WebHit, "engines">, engine: string): WebHit {
  if (known === undefined) return { ...hit, engines: [engine] };
  const date = known.date ?? hit.date;
  return {
    title: known.title || hit.title,
    url: known.url,
    text: known.text.length >= hit.text.length ? known.text : hit.text,
    date,
    engines: known.engines.includes(engine) ? known.engines : [...known.engines, engine],
  };
}

/** Maximum characters of a title and of a passage. */
const maxLength = { title: 300, text: 1_200 };

/** Markup with which engines highlight words. Other text in angle brackets belongs to the page, for example code. */
const markup = /<\/?(?:a|b|br|em|i|mark|p|span|strong|u|wbr)\b[^<>]*>/gi;

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi;

/** Tracking parameters, which do not change the page. */
const tracking = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid|ref_src)$/i;

/**
 * A result for people and models: texts in one line without markup and invisible characters, and the address without tracking
 * parameters. Undefined if the address is not http or https, or has a user or password that obscures its host.
 */
function readableHit(hit: Omit<WebHit, "engines">, decoder: Decoder): Omit<WebHit, "engines"> | undefined {
  const url = URL.parse(hit.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined;
  const address = withoutTracking(url);
  const date = hit.date && dayOf(plainText(hit.date, 40, decoder));
  return {
    title: plainText(hit.title, maxLength.title, decoder) || url.host,
    url: address.href,
    text: plainText(hit.text, maxLength.text, decoder),
    date: date || undefined,
  };
}

/** Removes tracking parameters; an address without any stays exactly the same. */
function withoutTracking(url: URL): URL {
  const names = [...url.searchParams.keys()].filter((name) => tracking.test(name));
  for (const name of names) url.searchParams.delete(name);
  return url;
}

/** The day of an ISO date; other text unchanged. */
function dayOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(text)?.[0] ?? text;
}

type Decoder = Pick<typeof import("htmlparser2"), "Parser">;

function plainText(text: string, maxLength: number, decoder: Decoder): string {
  // Removing markup and entities shortens the text, so more than the limit is read.
  const near = text.slice(0, maxLength * 10);
  return onOneLine(withoutInvisible(decoded(near.replace(markup, ""), decoder))).slice(0, maxLength);
}

/** The text with its entities (`&amp;`, `&#8217;`) decoded. */
function decoded(text: string, { Parser }: Decoder): string {
  return text.replace(entity, (each) => {
    let signs = "";
    const parser = new Parser({
      ontext: (part) => {
        signs += part;
      },
    });
    parser.end(each);
    return signs;
  });
}

import { errorText } from "../base/error-text.ts";
import { withoutInvisible } from "../base/invisible-text.ts";
import {
  noWebSearch,
  type WebEngine,
  type WebHit,
  type WebSearch,
  WebSearchError,
} from "../core/ports/web.ts";
import { encyclopaedia } from "./engines.ts";

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

/** What an engine found, the best first. */
interface FoundBy {
  engine: string;
  hits: readonly Omit<WebHit, "engines">[];
}

/** As in the paper on reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const rankOffset = 60;

/** What is the same for two spellings of one address. */
export function addressKey(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  const host = url.host.replace(/^(www|m)\./, "");
  return `${host}${url.pathname.replace(/\/$/, "")}${url.search}`;
}

/** One list of what engines found: each address once, those first that several engines rank high. */
function mergeHits(found: readonly FoundBy[], most: number): WebHit[] {
  const merged = new Map<string, { hit: WebHit; score: number }>();
  for (const { engine, hits } of found) {
    for (const [rank, hit] of hits.entries()) {
      const key = addressKey(hit.url);
      const known = merged.get(key);
      // An engine that lists an address twice has not found it twice.
      const isNew = known?.hit.engines.includes(engine) !== true;
      const score = (known?.score ?? 0) + (isNew ? 1 / (rankOffset + rank + 1) : 0);
      merged.set(key, { hit: joined(known?.hit, hit, engine), score });
    }
  }
  return [...merged.values()]
    .sort((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ hit }) => hit);
}

function joined(known: WebHit | undefined, hit: Omit<WebHit, "engines">, engine: string): WebHit {
  if (known === undefined) return { ...hit, engines: [engine] };
  const date = known.date ?? hit.date;
  return {
    title: known.title || hit.title,
    url: known.url,
    text: known.text.length >= hit.text.length ? known.text : hit.text,
    ...(date === undefined ? {} : { date }),
    engines: known.engines.includes(engine) ? known.engines : [...known.engines, engine],
  };
}

/** Characters of a title and of a passage; the rest is cut. */
const longest = { title: 300, text: 1_200 };

/** Markup in which engines mark the words they found. Anything else in angle brackets is the page's own text, such as code. */
const markup = /<\/?(?:a|b|br|em|i|mark|p|span|strong|u|wbr)\b[^<>]*>/gi;

const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  middot: "·",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
};

/** Parameters that tell a site where a visitor came from, and change nothing about the page. */
const tracking = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid|ref_src)$/i;

/**
 * A result as people and models may see it: its texts without markup and without what nobody sees, each in one line, its address
 * without tracking. Undefined where the address is not http or https, or hides its host behind a login.
 */
function readableHit(hit: Omit<WebHit, "engines">): Omit<WebHit, "engines"> | undefined {
  const url = URL.parse(hit.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined;
  const address = withoutTracking(url);
  const date = hit.date === undefined ? "" : dayOf(plainText(hit.date, 40));
  return {
    title: plainText(hit.title, longest.title) || url.host,
    url: address.href,
    text: plainText(hit.text, longest.text),
    ...(date === "" ? {} : { date }),
  };
}

/** Left as it is, letter by letter, where there is nothing to remove. */
function withoutTracking(url: URL): URL {
  const names = [...url.searchParams.keys()].filter((name) => tracking.test(name));
  for (const name of names) url.searchParams.delete(name);
  return url;
}

/** The day of an ISO date; any other form as it is. */
function dayOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(text)?.[0] ?? text;
}

function plainText(text: string, most: number): string {
  // Markup and entities make a text shorter. What is far beyond the limit is not looked at.
  const near = text.slice(0, most * 10);
  return withoutInvisible(decoded(near.replace(markup, "")))
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, most);
}

function decoded(text: string): string {
  return text.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : "";
  });
}

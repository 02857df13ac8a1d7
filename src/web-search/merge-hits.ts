import type { WebHit } from "../core/web-search.ts";

/** What an engine found, the best first. */
export interface FoundBy {
  engine: string;
  hits: readonly Omit<WebHit, "engines">[];
}

/** As in the paper on reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const rankOffset = 60;

/** Parameters that tell a site where a visitor came from, and change nothing of the page. */
const tracking = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid|ref_src)$/i;

/** What is the same for two spellings of one address. */
export function addressKey(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name);
  const host = url.host.replace(/^(www|m)\./, "");
  return `${host}${url.pathname.replace(/\/$/, "")}${url.search}`;
}

/** One list of what engines found: each address once, those first that several engines rank high. */
export function mergeHits(found: readonly FoundBy[], most: number): WebHit[] {
  const merged = new Map<string, { hit: WebHit; score: number }>();
  for (const { engine, hits } of found) {
    for (const [rank, hit] of hits.entries()) {
      const key = addressKey(hit.url);
      const known = merged.get(key);
      const score = (known?.score ?? 0) + 1 / (rankOffset + rank + 1);
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

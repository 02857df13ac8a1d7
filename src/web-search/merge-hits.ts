import type { WebHit } from "../core/ports/web.ts";

/** What an engine found, the best first. */
export interface FoundBy {
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
export function mergeHits(found: readonly FoundBy[], most: number): WebHit[] {
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

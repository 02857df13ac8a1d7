import type { Clock } from "../ports/clock.ts";
import type { KeyValue } from "../ports/key-value.ts";
import type { Catalogue } from "./catalogue.ts";
import type { HostFacts } from "./eligibility.ts";
import { makeOffer } from "./make-offer.ts";
import { type NamespaceState, type ReadNamespace, readNamespaceAgain } from "./namespace-state.ts";
import type { Offer } from "./offer.ts";
import type { Mean } from "./skill.ts";

/** The state of a namespace and what it makes of the catalogue. */
interface NamespaceOffer {
  readonly state: NamespaceState;
  readonly offer: Offer;
}

/** Reads namespaces; the very same object is answered while neither state nor catalogue has changed. */
export interface OfferReader {
  read(namespace: string, catalogue: Catalogue): Promise<NamespaceOffer>;
}

/** Namespaces whose offer is kept in memory. */
const remembered = 500;

/** How long an offer is kept, ms: a program installed meanwhile makes skills eligible. */
const longestAge = 10_000;

interface KnownOffer extends NamespaceOffer {
  catalogue: Catalogue;
  read: ReadNamespace;
  made_at: number;
}

/** @param lackingIn what turns of a channel in this state have to do without; nothing unless given */
export function createOfferReader(
  store: KeyValue,
  facts: HostFacts,
  clock: Pick<Clock, "now">,
  lackingIn?: (state: NamespaceState) => readonly Mean[],
): OfferReader {
  const known = new Map<string, KnownOffer>();
  const isFresh = (offer: KnownOffer) => clock.now() - offer.made_at < longestAge;
  return {
    async read(namespace, catalogue) {
      const before = known.get(namespace);
      const read = await readNamespaceAgain(store, namespace, before?.read);
      const isSame = before?.read === read && before.catalogue === catalogue && isFresh(before);
      if (isSame) return before;
      const offer = makeOffer(catalogue, read.state, facts, lackingIn?.(read.state));
      const made = { state: read.state, offer, catalogue, read, made_at: clock.now() };
      known.delete(namespace);
      known.set(namespace, made);
      const [oldest] = known.keys();
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      return made;
    },
  };
}

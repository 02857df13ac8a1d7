import type { Clock } from "../../core/clock.ts";

/**
 * The addresses Slack gives with slash commands and clicks: what is posted there only that person sees. Slack takes five
 * posts within thirty minutes (docs.slack.dev, "Handling user interaction"). Kept in memory: after a restart answers go
 * another way.
 */
export interface ReplyAddresses {
  /** @param id what names the command or click: `ReplyTarget.message` */
  remember(id: string, url: string | undefined): void;
  /** The address, once for each post it is good for. */
  take(id: string): string | undefined;
}

const uses = 5;
const life = 30 * 60_000;
/** Left before the end, so that a post does not arrive too late, ms. */
const margin = 30_000;
const capacity = 2_000;

export function createReplyAddresses(clock: Clock): ReplyAddresses {
  const addresses = new Map<string, { url: string; left: number; until: number }>();
  return {
    remember(id, url) {
      if (url === undefined || url === "") return;
      addresses.set(id, { url, left: uses, until: clock.now() + life - margin });
      const oldest = addresses.size > capacity ? addresses.keys().next().value : undefined;
      if (oldest !== undefined) addresses.delete(oldest);
    },
    take(id) {
      const address = addresses.get(id);
      if (address === undefined) return undefined;
      address.left -= 1;
      if (address.left <= 0 || address.until < clock.now()) addresses.delete(id);
      return address.left >= 0 && address.until >= clock.now() ? address.url : undefined;
    },
  };
}

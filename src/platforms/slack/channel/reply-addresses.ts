import type { Clock } from "../../../core/ports/storage.ts";

/**
 * The addresses Slack gives with slash commands and clicks: what is posted there only that person sees. Slack takes five
 * posts within thirty minutes (docs.slack.dev, "Handling user interaction"). Kept in memory: after a restart answers go
 * another way.
 */
export interface ReplyAddresses {
  /**
   * @param id what names the command or click: `ReplyTarget.message`
   * @param thread the thread that was clicked in; Slack puts a post without it into the channel
   */
  remember(id: string, url: string | undefined, thread?: string): void;
  /** The address, once for each post it is good for. */
  take(id: string): ReplyAddress | undefined;
}

export interface ReplyAddress {
  url: string;
  /** The thread's `ts`. */
  thread?: string | undefined;
}

const uses = 5;
const life = 30 * 60_000;
/** Left before the end, so that a post does not arrive too late, ms. */
const margin = 30_000;
const capacity = 2_000;

export function createReplyAddresses(clock: Clock): ReplyAddresses {
  const addresses = new Map<string, ReplyAddress & { left: number; until: number }>();
  return {
    remember(id, url, thread) {
      if (url === undefined || url === "") return;
      addresses.set(id, { url, thread, left: uses, until: clock.now() + life - margin });
      const oldest = addresses.size > capacity ? addresses.keys().next().value : undefined;
      if (oldest !== undefined) addresses.delete(oldest);
    },
    take(id) {
      const address = addresses.get(id);
      if (address === undefined) return undefined;
      address.left -= 1;
      if (address.left <= 0 || address.until < clock.now()) addresses.delete(id);
      const { url, thread } = address;
      return address.left >= 0 && address.until >= clock.now() ? { url, thread } : undefined;
    },
  };
}

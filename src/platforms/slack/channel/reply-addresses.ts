import type { Clock } from "../../../core/ports/storage.ts";

/**
 * The response addresses of slash commands and clicks: only the person sees a post to one. Slack accepts five posts within
 * thirty minutes (docs.slack.dev, "Handling user interaction"). Held in memory: after a restart, ordinary messages answer.
 */
export interface ReplyAddresses {
  /**
   * @param id of the command or click: `ReplyTarget.message`
   * @param thread of the click; without it Slack posts to the channel
   */
  remember(id: string, url: string | undefined, thread?: string): void;
  /** The address; undefined once it has no posts left or has expired. */
  take(id: string): ReplyAddress | undefined;
}

export interface ReplyAddress {
  url: string;
  /** The thread's `ts`. */
  thread?: string | undefined;
}

const uses = 5;
const life = 30 * 60_000;
/** Margin before the end, so that a post does not arrive too late, ms. */
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

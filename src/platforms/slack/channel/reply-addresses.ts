import { createExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";

/**
 * The response addresses of slash commands and clicks: only the person sees a post to one. Slack accepts five posts within
 * thirty minutes (docs.slack.dev, "Handling user interaction"). All processes share them, since a command may be heard by one and answered
 * by another. Never rejects: without an address, ordinary messages answer.
 */
export interface ReplyAddresses {
  /**
   * @param id of the command or click: `ReplyTarget.message`
   * @param thread of the click; without it Slack posts to the channel
   */
  remember(id: string, url: string | undefined, thread?: string): Promise<void>;
  /** The address; undefined once it has no posts left or has expired. */
  take(id: string): Promise<ReplyAddress | undefined>;
}

export interface ReplyAddress {
  url: string;
  /** The thread's `ts`. */
  thread?: string | undefined;
}

export interface ReplyAddressesDeps {
  /** An encrypted store: whoever has an address can post to it. */
  sealed: KeyValue;
  clock: Clock;
  logger: Log;
}

/** As stored. `thread` is empty in the channel itself. */
type StoredAddress = { url: string; thread: string; left: number; until: number };

const uses = 5;
const life = 30 * 60_000;
/** Margin before the end, so that a post does not arrive too late, ms. */
const margin = 30_000;

export function createReplyAddresses({ sealed, clock, logger }: ReplyAddressesDeps): ReplyAddresses {
  const key = "reply-addresses";
  const addresses = createExpiringEntries<StoredAddress>({
    store: sealed,
    clock,
    key,
    groups: 16,
    most: 128,
  });
  const quietly = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      logger.warn({ err: error, platform: "slack" }, "a response address could not be stored or read");
      return undefined;
    });
  const use = async (id: string): Promise<StoredAddress | undefined> => {
    // Most messages have none.
    if ((await addresses.get(id)) === undefined) return undefined;
    return addresses.change(id, (address) =>
      address === undefined || address.left === 1 ? undefined : { ...address, left: address.left - 1 },
    );
  };
  return {
    async remember(id, url, thread = "") {
      if (url === undefined || url === "") return;
      const address = { url, thread, left: uses, until: clock.now() + life - margin };
      await quietly(addresses.change(id, () => address));
    },
    async take(id) {
      const { url, thread } = (await quietly(use(id))) ?? {};
      return url === undefined ? undefined : { url, thread: thread || undefined };
    },
  };
}

import { ExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";

export interface ReplyAddress {
  url: string;
  /** The thread's `ts`. */
  thread?: string | undefined;
}

/** As stored. `thread` is empty in the channel itself. */
type StoredAddress = { url: string; thread: string; left: number; until: number };

const uses = 5;
const life = 30 * 60_000;
/** Margin before the end, so that a post does not arrive too late, ms. */
const margin = 30_000;

/**
 * The response addresses of slash commands and clicks: only the person sees a post to one. Slack accepts five posts within
 * thirty minutes (docs.slack.dev, "Handling user interaction"). All processes share them, since a command may be heard by one and answered
 * by another. Never rejects: without an address, ordinary messages answer.
 */
export class ReplyAddresses {
  readonly #clock: Clock;
  readonly #addresses: ExpiringEntries<StoredAddress>;

  /** @param sealed an encrypted store: whoever has an address can post to it */
  constructor(sealed: KeyValue, clock: Clock, logger: Log) {
    this.#clock = clock;
    this.#addresses = new ExpiringEntries(
      sealed,
      clock,
      "reply-addresses",
      { groups: 16, most: 128 },
      (error) =>
        logger.warn({ err: error, platform: "slack" }, "a response address could not be stored or read"),
    );
  }

  /**
   * @param id of the command or click: `ReplyTarget.message`
   * @param thread of the click; without it Slack posts to the channel
   */
  async remember(id: string, url: string | undefined, thread = ""): Promise<void> {
    if (url === undefined || url === "") return;
    const address = { url, thread, left: uses, until: this.#clock.now() + life - margin };
    await this.#addresses.change(id, () => address);
  }

  /** The address; undefined once it has no posts left or has expired. */
  async take(id: string): Promise<ReplyAddress | undefined> {
    // Most messages have none.
    if ((await this.#addresses.get(id)) === undefined) return undefined;
    const found = await this.#addresses.change(id, (address) =>
      address === undefined || address.left === 1 ? undefined : { ...address, left: address.left - 1 },
    );
    return found && { url: found.url, thread: found.thread || undefined };
  }
}

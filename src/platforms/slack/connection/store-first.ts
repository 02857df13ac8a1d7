import type { App, Receiver } from "@slack/bolt";
import { PlatformError } from "../../../core/ports/chat-platform.ts";

type ReceiverEvent = Parameters<App["processEvent"]>[0];

/**
 * Bolt acknowledges events before its listeners see them. For us an event is acknowledged once it is stored: this stands
 * between a receiver and Bolt, holds the acknowledgement back until all listeners are done, and gives none when one failed, so
 * that Slack delivers it again. Commands and clicks acknowledge themselves.
 */
export interface StoreFirst {
  /** Gives a receiver the app it may hand events to. */
  attach(receiver: Receiver, app: App): void;
  /** Takes no more events; resolves when those taken are done. */
  drain(): Promise<void>;
}

export function createStoreFirst(): StoreFirst {
  const running = new Set<Promise<void>>();
  let open = true;

  const processed = async (app: App, event: ReceiverEvent): Promise<void> => {
    if (event.body.type !== "event_callback") return app.processEvent(event);
    let held = false;
    await app.processEvent({
      ...event,
      ack: async () => {
        held = true;
      },
    });
    if (held) await event.ack();
  };
  return {
    attach(receiver, app) {
      const processEvent = async (event: ReceiverEvent): Promise<void> => {
        if (!open) throw new PlatformError("unavailable", "Knack is stopping; Slack delivers this again.");
        const work = processed(app, event);
        const settled = work.then(
          () => {},
          () => {},
        );
        running.add(settled);
        try {
          await work;
        } finally {
          running.delete(settled);
        }
      };
      receiver.init(Object.assign(Object.create(app) as App, { processEvent }));
    },
    async drain() {
      open = false;
      await Promise.all(running);
    },
  };
}

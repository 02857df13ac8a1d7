import type { NamedDecider } from "../../../core/effects/mentioning.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { Place } from "../../../core/values/place.ts";
import { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import type { Content } from "./publish-message.ts";

/**
 * The cards of one approval in the direct messages of people who may decide it and do not see where it was asked: one for each, and
 * never more than five. They come on top of the card in the channel, so what the platform does not take is left out. Nothing here
 * rejects, but when the turn is given up.
 */
export interface DeciderCards {
  /** Posts the cards that are missing. */
  post(people: readonly NamedDecider[], content: Content): Promise<void>;
  /** Shows this on all cards, those included that a worker posted to these people before it died. */
  close(people: readonly NamedDecider[], content: Content): Promise<void>;
}

const maxCards = 5;

/** @param part of the card in the channel; the place tells them apart */
export function createDeciderCards(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  { approval_id, part }: { approval_id: string; part: number },
): DeciderCards {
  const { platform, logger, turn_id } = turn;
  const cards = new Map<string, { place: Place; message: PostedMessage }>();
  const add = (person: string, place: Place, reference?: string) => {
    const posted = events.flatMap((event): TurnEvent[] => {
      if (event.type !== "approval_shown" || event.reference !== reference) return [];
      const { seq, at } = event;
      return [{ type: "message_posted", purpose: "approval", part, reference, turn_id, seq, at }];
    });
    const there = { ...turn, place, to: { person } };
    cards.set(person, { place, message: new PostedMessage(there, posted, { purpose: "approval", part }) });
  };
  for (const event of events)
    if (event.type === "approval_shown" && event.approval_id === approval_id)
      add(event.person, event.place, event.reference);

  const quietly = async (person: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      turn.givenUp.throwIfAborted();
      logger.warn({ err: error, turn_id, person }, "Somebody who may decide could not be written to");
    }
  };
  const reach = async (people: readonly NamedDecider[]) => {
    for (const { id, here } of people) {
      if (here || cards.has(id) || cards.size >= maxCards) continue;
      await quietly(id, async () => {
        const place = await platform.actions?.direct?.(turn.place.namespace, id);
        if (place !== undefined) add(id, place);
      });
    }
  };
  return {
    async post(people, content) {
      await reach(people);
      await Promise.all(
        [...cards].map(([person, { place, message }]) =>
          quietly(person, async () => {
            if (message.reference !== undefined) return;
            const published = await message.publish(content);
            if (!published.ok) throw published.error;
            const { reference } = published;
            turn.note({ type: "approval_shown", approval_id, person, place, reference });
          }),
        ),
      );
    },
    async close(people, content) {
      if (turn.resumed) await reach(people);
      await Promise.all(
        [...cards].map(([person, { message }]) =>
          quietly(person, async () => {
            if ((await message.adopt()) !== undefined) await message.amend(content);
          }),
        ),
      );
    },
  };
}

import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { type NamedDecider, namedDeciders } from "../../../core/effects/mentioning.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { OutgoingButton } from "../../../core/ports/chat-platform.ts";
import { mayApprove } from "../../../core/values/inbound.ts";
import { isDirectMessage, type Place } from "../../../core/values/place.ts";
import { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import type { Content, Published } from "./publish-message.ts";
import {
  type Approval,
  type ApprovalAudience,
  renderApproval,
  renderClosedApproval,
  renderDirectApproval,
} from "./render-approval.ts";

/** An approval as people are asked for it: a card where the turn runs, and cards for those who do not see that one. */
export interface ApprovalPrompt {
  /** Brings what is missing to the platform. What came of the card where the turn runs; undefined when it was there already. */
  post(): Promise<Published | undefined>;
  /** Shows on all cards how it ended. `late`: the asker may have it run again. @throws what the platform throws */
  close(end: string, late: boolean): Promise<void>;
}

/**
 * @param message the card where the turn runs
 * @param isAside the card stands in the asker's direct messages, where no one else sees it
 */
export function createApprovalPrompt(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  approval: Approval,
  message: PostedMessage,
  isAside: boolean,
): ApprovalPrompt {
  const { author, platform, place } = turn;
  const limit = platform.limits.message_characters;
  const shown = turn.redact(approval);
  const { approval_id, approver } = approval;
  const isTheirs = mayApprove(author, approver, { author });
  const cards = createDeciderCards(turn, events, { approval_id, part: message.tag.part });
  let found: Promise<readonly NamedDecider[]> | undefined;
  const look = async (least: "manager" | "operator") => {
    const named = await namedDeciders(platform, place, least, author.id);
    return isAside ? named.map((each) => ({ ...each, here: false })) : named;
  };
  const deciders = () => {
    const isForOthers = !isTheirs && (approver === "manager" || approver === "operator");
    found ??= isForOthers ? look(approver) : Promise.resolve([]);
    return found;
  };
  const again: OutgoingButton = { action: { role: "again", turn_id: turn.turn_id }, label: "Run again" };
  return {
    async post() {
      const audience: ApprovalAudience = { asker: author, isTheirs, deciders: await deciders() };
      const published =
        message.reference === undefined
          ? await message.publish(renderApproval(shown, audience, limit))
          : undefined;
      if (audience.deciders.some(({ here }) => !here))
        await cards.post(audience.deciders, renderDirectApproval(shown, await whoAsks(turn), limit));
      return published;
    },
    async close(end, late) {
      const closeHere = async () => {
        if ((await message.adopt()) === undefined) return;
        const closed = renderClosedApproval(shown, { end }, limit);
        await message.amend(late ? { ...closed, buttons: [again] } : closed);
      };
      const [people, from] = await Promise.all([deciders(), whoAsks(turn)]);
      await Promise.all([
        closeHere(),
        cards.close(people, renderClosedApproval(shown, { end, from }, limit)),
      ]);
    },
  };
}

/** Who asks and where, for somebody elsewhere. */
async function whoAsks({ author, platform, place, redact }: PresentedTurn): Promise<string> {
  const asker = `**${escapeMarkdown(oneLine(author.name, 80))}** asks`;
  if (isDirectMessage(place.namespace)) return `${asker} in a direct message with me.`;
  const { name } = await platform.describe(place);
  return name === undefined
    ? `${asker} in another channel.`
    : redact(`${asker} in **#${escapeMarkdown(oneLine(name, 80))}**.`);
}

/**
 * The cards of one approval in the direct messages of people who may decide it and do not see where it was asked: one for each, and
 * never more than five. They come on top of the card in the channel, so what the platform does not take is left out. Nothing here
 * rejects, but when the turn is given up.
 */
interface DeciderCards {
  /** Posts the cards that are missing. */
  post(people: readonly NamedDecider[], content: Content): Promise<void>;
  /** Shows this on all cards, those included that a worker posted to these people before it died. */
  close(people: readonly NamedDecider[], content: Content): Promise<void>;
}

const maxCards = 5;

/** @param part of the card in the channel; the place tells them apart */
function createDeciderCards(
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

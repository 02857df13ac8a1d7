import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { type NamedDecider, namedDeciders } from "../../../core/effects/mentioning.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { OutgoingButton } from "../../../core/ports/chat-platform.ts";
import { mayApprove } from "../../../core/values/inbound.ts";
import { isDirectMessage } from "../../../core/values/place.ts";
import { createDeciderCards } from "./decider-cards.ts";
import type { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import type { Published } from "./publish-message.ts";
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

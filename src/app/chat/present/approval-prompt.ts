import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { type NamedDecider, namedDeciders } from "../../../core/decisions/people-on-cards.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import { type OutgoingButton, PlatformError } from "../../../core/ports/chat-platform.ts";
import { mayDecide } from "../../../core/values/inbound.ts";
import { mentioned } from "../../../core/values/label.ts";
import { isDirectMessage, type Place } from "../../../core/values/place.ts";
import { type AnswerFiles, readFiles } from "./answer-files.ts";
import { withoutFilesIfRefused } from "./deliver-answer.ts";
import { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import type { Content, Published } from "./publish-message.ts";
import {
  type Approval,
  type ApprovalAudience,
  renderApproval,
  renderClosedApproval,
  renderDirectApproval,
  renderDirectReminder,
  renderReminder,
  withMentions,
} from "./render-approval.ts";

/**
 * The cards that ask for an approval: one where the turn runs, and one for each decider who does not see that one.
 * @param message the card where the turn runs
 * @param reminder the message that reminds people there
 * @param isAside the card is in the asker's direct messages, where no one else sees it
 */
export function createApprovalPrompt(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  approval: Approval,
  { message, reminder }: { message: PostedMessage; reminder: PostedMessage },
  isAside: boolean,
) {
  const { author, platform, place } = turn;
  const limit = platform.limits.message_characters;
  const shown = turn.redact(approval);
  const { approval_id, approver, person } = approval;
  const isTheirs = mayDecide(author, approval, { author });
  const cards = createDeciderCards(turn, events, { approval_id, part: message.tag.part });
  let found: Promise<readonly NamedDecider[]> | undefined;
  const look = async (least: "manager" | "operator") => {
    const named = await namedDeciders(platform, place, least, author.id);
    return isAside ? named.map((each) => ({ ...each, here: false })) : named;
  };
  const deciders = () => {
    const isForOthers = !isTheirs && (approver === "manager" || approver === "operator");
    const only = person === undefined ? [] : [{ ...person, here: false }];
    found ??= isForOthers && person === undefined ? look(approver) : Promise.resolve(only);
    return found;
  };
  const remaining = async (): Promise<ApprovalAudience> => {
    if (person !== undefined || !isTheirs || !(await hasLeft(turn)))
      return { asker: author, isTheirs, deciders: isTheirs ? [] : await deciders() };
    found = look(approver === "operator" ? "operator" : "manager");
    return { asker: author, isTheirs: false, deciders: await found };
  };
  const asking = () => whoAsks(turn, person === undefined);
  const brought = async () => withAsked(await readFiles(turn, askedFiles(approval)));
  return {
    /** Posts the missing cards. Returns the result for the card where the turn runs; undefined when it was posted before. */
    async post(): Promise<Published | undefined> {
      const audience = { asker: author, isTheirs, deciders: await deciders() };
      const isElsewhere = audience.deciders.some(({ here }) => !here);
      if (message.reference !== undefined && !isElsewhere) return undefined;
      const withFiles = await brought();
      const published =
        message.reference === undefined
          ? await publishCard(message, withFiles(renderApproval(shown, audience, limit)))
          : undefined;
      if (isElsewhere)
        await cards.post(audience.deciders, withFiles(renderDirectApproval(shown, await asking(), limit)));
      return published;
    },
    /**
     * Reminds those who may decide now, once, and sends a card to those among them who have none. Returns the result for the reminder
     * where the turn runs; undefined when it was posted before.
     */
    async remind(): Promise<Published | undefined> {
      if (reminder.reference !== undefined) return undefined;
      const audience = await remaining();
      const isElsewhere = audience.deciders.some(({ here }) => !here);
      if (isElsewhere) {
        await cards.remind(renderDirectReminder(shown));
        const withFiles = await brought();
        await cards.post(audience.deciders, withFiles(renderDirectApproval(shown, await asking(), limit)));
      }
      return reminder.publish(renderReminder(shown, audience));
    },
    /** Shows the outcome on all cards, with the text that ran. `late`: with a button to run it again. @throws the errors of the platform */
    async close(end: string, late: boolean, edited?: string): Promise<void> {
      const [people, from] = await Promise.all([deciders(), asking()]);
      const action = { role: "again", turn_id: turn.turn_id } as const;
      const again: OutgoingButton = { action, label: "Run again" };
      const closeHere = async () => {
        if ((await message.adopt()) === undefined) return;
        const closed = renderClosedApproval(shown, { end, edited }, limit);
        await message.amend(late ? { ...closed, buttons: [again] } : closed);
      };
      await Promise.all([
        closeHere(),
        cards.close(people, renderClosedApproval(shown, { end, from, edited }, limit)),
        reminder.drop(),
      ]);
    },
  };
}

/** The files that are asked about, exactly as they were then. */
function askedFiles({ files = [] }: Approval) {
  return files.flatMap(({ stored, url, ...file }) =>
    stored === undefined || url === undefined ? [] : [{ ...file, stored, url }],
  );
}

/** Adds these files to a card. Who sees it can read the files of its thread anyway. */
function withAsked({ attached, named }: AnswerFiles): (content: Content) => Content {
  return ({ files = [], ...content }) => {
    const all = [...files, ...attached];
    const markdown = [content.markdown, named].filter(Boolean).join("\n\n");
    return { ...content, markdown, ...(all.length === 0 ? {} : { files: all }) };
  };
}

function publishCard(message: PostedMessage, content: Content): Promise<Published> {
  return withoutFilesIfRefused(content, (each) => message.publish(each));
}

/** Whether the asker no longer belongs to the place: somebody who was more than a guest is one now. */
async function hasLeft({ author, platform, place, logger, turn_id }: PresentedTurn): Promise<boolean> {
  if (author.trust === "guest") return false;
  try {
    return (await platform.person(place, author.id)).trust === "guest";
  } catch (error) {
    logger.debug({ err: error, turn_id }, "Whether the asker has left could not be looked up");
    return error instanceof PlatformError && (error.code === "gone" || error.code === "invalid");
  }
}

/** Who asks and, for a reader who may know that, where. */
async function whoAsks(
  { author, platform, place, redact }: PresentedTurn,
  tellsPlace: boolean,
): Promise<string> {
  const asker = `**${withMentions(mentioned(author.name, author.id))}** asks`;
  if (!tellsPlace) return `${asker}.`;
  if (isDirectMessage(place.namespace)) return `${asker} in a direct message with me.`;
  const { name } = await platform.describe(place);
  return name === undefined
    ? `${asker} in another channel.`
    : redact(`${asker} in **#${escapeMarkdown(oneLine(name, 80))}**.`);
}

const maxCards = 5;

/**
 * The cards of one approval in the direct messages of people who may decide but do not see the card in the channel: one for each
 * person, at most five. They are optional, so a card that the platform refuses is left out. Rejects only when the turn is given up.
 * @param part the part of the card in the channel; the cards have the same part in other places
 */
function createDeciderCards(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  { approval_id, part }: { approval_id: string; part: number },
) {
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
      logger.warn({ err: error, turn_id, person }, "A decider could not be sent an approval card");
    }
  };
  const reach = async (people: readonly NamedDecider[]) => {
    for (const { id, here } of people) {
      const known = people.filter((each) => cards.has(each.id)).length;
      if (here || cards.has(id) || known >= maxCards) continue;
      await quietly(id, async () => {
        const place = await platform.actions?.direct?.(turn.place.namespace, id);
        if (place !== undefined) add(id, place);
      });
    }
  };
  return {
    /** Posts the missing cards. */
    async post(people: readonly NamedDecider[], content: Content): Promise<void> {
      await reach(people);
      await Promise.all(
        [...cards].map(([person, { place, message }]) =>
          quietly(person, async () => {
            if (message.reference !== undefined) return;
            const published = await publishCard(message, content);
            if (!published.ok) throw published.error;
            const { reference } = published;
            turn.note({ type: "approval_shown", approval_id, person, place, reference });
          }),
        ),
      );
    },
    /** Posts this below each card that was posted before. */
    async remind(content: Content): Promise<void> {
      const tag = { purpose: "reminder", part } as const;
      await Promise.all(
        [...cards].map(([person, { place }]) =>
          quietly(person, async () => {
            const there = { ...turn, place, to: { person } };
            const published = await new PostedMessage(there, [], tag).publish(content);
            if (!published.ok) throw published.error;
            const { reference } = published;
            turn.note({ type: "message_posted", ...tag, reference, place });
          }),
        ),
      );
    },
    /** Shows this on all cards, including those that a worker posted to these people before it died. */
    async close(people: readonly NamedDecider[], content: Content): Promise<void> {
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

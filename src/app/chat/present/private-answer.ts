import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { type Content, type Published, persist, whisperMessage } from "./publish-message.ts";

/**
 * The turn as shown to its asker alone, in their direct messages, where the text stays and can be found again; or the error, where the
 * platform opens no direct messages.
 */
export type Aside = { ok: true; turn: PresentedTurn } | { ok: false; error: PlatformError };

/** Opens the asker's direct messages on first use. Rejects only when the turn is given up. */
export function createAside(turn: PresentedTurn): () => Promise<Aside> {
  let known: Aside | undefined;
  return async () => {
    if (known?.ok !== true) known = await openAside(turn);
    return known;
  };
}

async function openAside(turn: PresentedTurn): Promise<Aside> {
  const { platform, place, author } = turn;
  let there = place;
  const opened = await persist(turn, { markdown: "" }, async () => {
    const direct = await platform.actions?.direct?.(place.namespace, author.id);
    if (direct === undefined)
      throw new PlatformError("forbidden", `${platform.writing.name} opens no direct messages here.`);
    there = direct;
    return "";
  });
  if (!opened.ok) return opened;
  return { ok: true, turn: { ...turn, place: there, to: { person: author.id }, mention: undefined } };
}

/** Posts a part of a private answer, at most once even across crashes. `after`: the events stored since the answer was ready. */
export async function publishAside(
  { turn: aside }: Extract<Aside, { ok: true }>,
  after: readonly TurnEvent[],
  part: number,
  message: Content,
): Promise<Published> {
  return new PostedMessage(aside, after, { purpose: "private", part }).publish(message);
}

/**
 * The line above a private answer: the question it answers, and why nobody else sees it.
 * @param because as in `answer_private`
 */
export async function reasonAbove(turn: PresentedTurn, because: string | undefined): Promise<string> {
  const link = await linkToQuestion(turn);
  const { name } = await turn.platform.describe(turn.place);
  const where = name === undefined ? "" : ` in #${escapeMarkdown(oneLine(name, 80))}`;
  const about = link === undefined ? `your message${where}` : `[your message${where}](${link})`;
  const why = because === undefined ? "" : `, because ${because}`;
  return `*About ${about}. Only you see this answer${why}.*`;
}

/** Tells the asker in the thread where the answer is. A failure is not retried: the direct message itself notifies them. */
export async function pointThere(
  turn: PresentedTurn,
  aside: PresentedTurn,
  reference: string,
): Promise<void> {
  const { namespace, thread } = aside.place;
  const link = await linkTo(aside, () => turn.platform.actions?.link(namespace, reference, thread));
  const where = link === undefined ? "a direct message" : `[a direct message](${link})`;
  await whisperMessage(turn, { markdown: `I answered you in ${where}, where only you see it.` });
}

function linkToQuestion(turn: PresentedTurn): Promise<string | undefined> {
  const { platform, place, to } = turn;
  return linkTo(turn, async () => {
    if (to.message === undefined) return undefined;
    const reference = (await platform.actions?.reference?.(place, to.message)) ?? to.message;
    return platform.actions?.link(place.namespace, reference, place.thread);
  });
}

async function linkTo(
  { logger, turn_id }: PresentedTurn,
  look: () => Promise<string | undefined> | undefined,
): Promise<string | undefined> {
  try {
    return (await look()) || undefined;
  } catch (error) {
    logger.debug({ err: error, turn_id }, "A message has no link");
    return undefined;
  }
}

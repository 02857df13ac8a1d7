import type { TurnEvent, TurnEventOf } from "../../src/core/log/turn-event.ts";
import type { Place } from "../../src/core/values/place.ts";
import { follow } from "../support/follow.ts";
import { withoutIds } from "./golden.ts";
import { createGoldenBot, type GoldenBot } from "./golden-bot.ts";

/** Where somebody speaks: the person's id and `channel` or `dm`. */
export interface Speaker {
  person: string;
  place: "channel" | "dm";
}

/** Says a sentence and answers in words what came of it. */
export type Say = (sentence: string) => Promise<string>;

/** Hands a sentence in as the platform does, under an id of its own; answers its key. */
export async function handIn(
  { intake, tick }: Pick<GoldenBot, "intake" | "tick">,
  place: Place,
  id: string,
  { text, author }: { text: string; author: string },
): Promise<string> {
  const said = { key: `${place.namespace}:${id}`, place, id, author };
  const said_at = tick();
  if (text.startsWith("/")) {
    await intake.command({ ...said, text, said_at });
    return said.key;
  }
  const isDirect = place.namespace.includes(":dm-");
  const isMention = text.startsWith("@Knack ");
  await intake.message({
    ...said,
    text: text.replace(/^@Knack /, ""),
    said_at,
    by_bot: false,
    addressed: isDirect ? "direct" : isMention ? "mention" : "none",
    mentions_others: false,
    in_thread: false,
    files: [],
  });
  return said.key;
}

/** What is still open of the sentences before. */
interface Story {
  approval: string;
  /** Turns that wait for a person. */
  waiting: string[];
  said: number;
}

/**
 * A new bot and somebody who speaks to it. A sentence that begins with `/` is a slash command of the platform, one that begins
 * with `@Knack` mentions the bot, anything else is plain text; `mia: /skill list` is said by somebody else. `{approval}` stands
 * for the approval asked for last, and `(end)` tells how the turn ended that waited longest.
 */
export function createSpeaker({ person, place }: Speaker): Say {
  const bot = createGoldenBot();
  const story: Story = { approval: "none:1", waiting: [], said: 0 };
  return async (sentence) => {
    if (sentence === "(end)") {
      const ending = story.waiting.shift();
      return described(ending === undefined ? undefined : await lastEvent(ending, true));
    }
    const [, other = person, words = ""] = /^(?:(\w+): )?(.*)$/s.exec(sentence) ?? [];
    const shown = bot.platform.shown.length;
    story.said += 1;
    const namespace = place === "dm" ? `fake:team:dm-${person}` : "fake:team:general";
    const text = words.replace("{approval}", story.approval);
    const key = await handIn(bot, { namespace, thread: "t1" }, `said-${story.said}`, { text, author: other });
    const turn = await bot.test.log.find(key);
    if (turn === undefined) return `no turn${told(shown)}`;
    const end = await lastEvent(turn);
    if (end?.type === "approval_requested") story.approval = end.approval_id;
    if (end !== undefined && end.type !== "turn_finished") story.waiting.push(turn);
    return described(end);
  };

  /** What somebody was told instead of an answer, since so many messages were shown. */
  function told(before: number): string {
    const notices = bot.platform.shown.slice(before).filter(({ message }) => message.tag === undefined);
    return notices.map(({ only_for, message }) => `\nonly for ${only_for}: ${message.markdown}`).join("");
  }

  /** The end of a turn, or the request for which it waits, unless it `isDecided`, once the log says that it waits. */
  async function lastEvent(turn: string, isDecided = false): Promise<TurnEvent | undefined> {
    for await (const event of follow(bot.test.app, turn)) {
      if (event.type === "turn_finished") return event;
      if (isDecided || !isRequest(event)) continue;
      await waits(turn);
      return event;
    }
    return undefined;
  }

  async function waits(turn: string): Promise<void> {
    const deadline = performance.now() + 5_000;
    while ((await bot.test.app.turn(turn))?.status !== "waiting") {
      if (performance.now() > deadline) throw new Error(`The turn ${turn} does not wait`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function isRequest(event: TurnEvent): boolean {
  return event.type === "approval_requested" || event.type === "question_asked";
}

function described(event: TurnEvent | undefined): string {
  if (event === undefined) return "no end";
  if (event.type === "turn_finished") return finished(event);
  const { turn_id: _turn, seq: _seq, at: _at, ...body } = event;
  return withoutIds(`waits: ${JSON.stringify(body)}`);
}

function finished({
  outcome,
  text,
  private: isPrivate,
  silent,
  output,
}: TurnEventOf<"turn_finished">): string {
  const marks = [outcome, isPrivate ? "private" : "", silent ? "silent" : ""].filter(Boolean).join(", ");
  const lines = [marks, text, ...(output === undefined ? [] : [`output: ${JSON.stringify(output)}`])];
  return withoutIds(lines.join("\n"));
}

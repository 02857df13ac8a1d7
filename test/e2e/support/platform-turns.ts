import { expect } from "vitest";
import type { PlatformBot } from "../../support/bot/platform-bot.ts";
import type { Surface } from "../../support/bot/platform-surface.ts";
import { ended, expectWholeTurn, stored } from "./turns.ts";

/** Waits until the turns of a thread are finished, of which there are so many, and checks that each is whole. */
export async function finished(
  { bot }: PlatformBot,
  { namespace }: Surface,
  thread: string,
  turns = 1,
): Promise<void> {
  const { client } = bot();
  const all = (await client.call("thread.show", { ns: namespace, thread })).turns;
  expect(all).toHaveLength(turns);
  for (const { turn } of all) {
    await ended(client, turn.turn_id);
    expectWholeTurn(await stored(client, turn.turn_id));
  }
}

/**
 * What Slack may refuse to a bot whose process was killed: to edit a message that the old process was streaming, which then is ended
 * first, and marks that the old process had set, had taken away or had not set yet.
 */
export const refusedAfterKill = ["streaming_state_conflict", "already_reacted", "no_reaction"] as const;

/** Nothing is wrong with what the bot asked of Slack, but for the refusals named, and nothing of it was cut. */
export async function expectCleanSlack({ slack }: PlatformBot, ...known: string[]): Promise<void> {
  const state = await slack.look();
  expect(state.refusals().filter(({ error = "" }) => !known.includes(error))).toEqual([]);
  expect(state.all.messages.filter(({ truncated }) => truncated)).toEqual([]);
}

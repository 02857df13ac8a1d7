import type { ChatIntake } from "../../../app/chat/chat-intake.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { isTimestamp } from "../channel/slack-place.ts";
import type { Workspaces } from "../connection/workspaces.ts";

/** Slack shows four at most. */
const mostPrompts = 4;

/**
 * Shows prompts that fit where a person opens the assistant, if they may use it. Without them it works as well, so a refusal is
 * let go.
 */
export async function suggestPrompts(
  { intake, workspaces }: { intake: ChatIntake; workspaces: Workspaces },
  team: string,
  channel: string,
  place: Place,
  person: string,
): Promise<void> {
  if (!(await mayAsk(intake, place, person))) return;
  const found = await intake.suggestions(place);
  const prompts = found.slice(0, mostPrompts).map(({ title, message }) => ({
    title: beginningOf(title, 100),
    message: beginningOf(message, 1_000),
  }));
  if (prompts.length === 0) return;
  const thread = isTimestamp(place.thread) ? { thread_ts: place.thread } : {};
  try {
    await workspaces.call(team, "suggest prompts", ({ write }) =>
      write.assistant.threads.setSuggestedPrompts({ channel_id: channel, prompts, ...thread }),
    );
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
  }
}

async function mayAsk(intake: ChatIntake, place: Place, person: string): Promise<boolean> {
  try {
    return (await intake.refusal(place, person)) === undefined;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

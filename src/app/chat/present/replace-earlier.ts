import { unlessAborted } from "../../../base/time-limit.ts";
import { type OutgoingButton, repeatedTurn } from "../../../core/ports/chat-platform.ts";
import type { PresentedTurn, TurnPresenterDeps } from "./presented-turn.ts";
import { platformErrorOf, whispered } from "./publish-message.ts";

/**
 * After a question was answered again ("Try again"), the earlier answer gives way: its first message points to the new answer, its other
 * messages are removed. Files that it posted stay. A message that cannot be changed stays as it is. Rejects only when the turn is given up.
 * @param key of the new turn's message
 * @param purpose of the messages of the new answer; an answer of the other kind is for other readers and stays
 */
export async function replaceEarlier(
  { platform, place: here, logger, givenUp }: PresentedTurn,
  log: TurnPresenterDeps["log"],
  key: string,
  purpose: "answer" | "private",
): Promise<void> {
  const turn_id = repeatedTurn(key);
  if (turn_id === undefined) return;
  const posted = new Map(
    (await log.read(turn_id)).flatMap((event) =>
      event.type === "message_posted" && event.purpose === purpose && event.reference !== whispered
        ? [[event.reference, event] as const]
        : [],
    ),
  );
  const details: OutgoingButton = { action: { role: "details", turn_id }, label: "Details" };
  const newest = new Map([...posted.values()].map((event) => [event.part, event.reference]));
  for (const { reference, part, place = here } of posted.values()) {
    const isFirst = part === 0 && newest.get(0) === reference;
    const tag = { turn_id, purpose, part };
    const pointer = { tag, markdown: "*Asked again: the new answer is below.*", buttons: [details] };
    try {
      await unlessAborted(givenUp, () =>
        isFirst ? platform.edit(place, reference, pointer) : platform.remove(place, reference),
      );
    } catch (error) {
      givenUp.throwIfAborted();
      logger.debug({ err: platformErrorOf(error), turn_id }, "An earlier answer could not be replaced");
    }
  }
}

import { type OutgoingMessage, PlatformError, type ReplyTarget } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ReplyAddress, ReplyAddresses } from "../channel/reply-addresses.ts";
import { targetOf } from "../channel/slack-place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { fallbackTo, refusedWith, slackCall } from "../connection/slack-call.ts";
import type { MessageWriter } from "./post-message.ts";
import type { Rendered } from "./render-message.ts";
import type { FileShow } from "./show-files.ts";

/** Refusals of an ephemeral message after which a direct message is possible. */
const ephemeralRefusals = [
  "channel_not_found",
  "is_archived",
  "not_in_channel",
  "user_not_in_channel",
  "restricted_action",
  "restricted_action_read_only_channel",
];

/**
 * Shows a message to one person: as the answer to their command or click, otherwise as an ephemeral message, otherwise as a
 * direct message. Only direct messages can have files.
 */
export function createWhisper(
  context: SlackContext,
  writer: MessageWriter,
  files: FileShow,
  addresses: ReplyAddresses,
) {
  const { workspaces, directory } = context;

  const ephemeral = (room: Room, person: string, message: OutgoingMessage, to: ReplyTarget | undefined) => {
    // A thread that does not exist yet would hide the message.
    const thread = room.thread === to?.message ? undefined : room.thread;
    return writer.rendered(room.team, message, ({ text, blocks }) =>
      workspaces.call(room.team, "say something to one person", ({ write }) =>
        write.chat.postEphemeral({
          channel: room.channel,
          user: person,
          text,
          blocks,
          ...(thread && { thread_ts: thread }),
        }),
      ),
    );
  };
  const directly = async (team: string, person: string, message: OutgoingMessage) => {
    const channel = await directory.directChannel(team, person);
    await files.post({ team, channel, direct: true }, message);
  };
  return async (place: Place, person: string, message: OutgoingMessage, to?: ReplyTarget): Promise<void> => {
    const { team } = targetOf(place);
    const isPlain = (message.files ?? []).length === 0;
    if (isPlain && to !== undefined && (await answerAddress(writer, addresses, team, message, to))) return;
    try {
      const room = await roomOf(context, place);
      if (room.direct) await files.post(room, message);
      else if (!isPlain) await directly(team, person, message);
      else await ephemeral(room, person, message, to);
    } catch (error) {
      if (!refusedWith(error, ...ephemeralRefusals)) throw error;
      await directly(team, person, message);
    }
  };
}

/** Posts to the response address of a command or click. False if there is none, or if Slack no longer accepts it. */
export async function answerAddress(
  writer: MessageWriter,
  addresses: ReplyAddresses,
  team: string,
  message: OutgoingMessage,
  to: ReplyTarget,
  visible: "ephemeral" | "in_channel" = "ephemeral",
): Promise<boolean> {
  const address = to.message === undefined ? undefined : await addresses.take(to.message);
  if (address === undefined) return false;
  const answered = writer.rendered(team, message, (rendered) =>
    slackCall("answer a command", () => send(address, rendered, visible, message.closes ?? false)),
  );
  return answered.then(() => true, fallbackTo(false));
}

/** Timeout of a request, ms. */
const requestTimeoutMs = 10_000;

async function send(
  { url, thread }: ReplyAddress,
  { text, blocks }: Rendered,
  response_type: string,
  replace_original: boolean,
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ response_type, replace_original, text, blocks, thread_ts: thread },
      ...{ unfurl_links: false, unfurl_media: false },
    }),
    redirect: "error",
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new PlatformError("invalid", `Slack refused the answer: HTTP ${response.status}.`);
}

import { type ChatPlatform, PlatformError, type PlatformLimits } from "../../app/chat/chat-platform.ts";
import type { Log } from "../../app/log.ts";
import type { Clock } from "../../core/clock.ts";
import type { Place } from "../../core/place.ts";
import { createStreams } from "./answer-stream.ts";
import { createMessageWriter, type MessageWriter } from "./post-message.ts";
import { findTagged, readThread } from "./read-history.ts";
import type { ReplyAddresses } from "./reply-addresses.ts";
import { createSigns, type Signs } from "./signs.ts";
import { refusedWith } from "./slack-call.ts";
import type { SlackSettings } from "./slack-options.ts";
import { targetOf } from "./slack-place.ts";
import { type Room, roomOf, type SlackContext } from "./slack-rooms.ts";
import { downloadFile, shareFiles, type Upload, uploadFiles } from "./transfer-files.ts";
import { answerAddress, createWhisper } from "./whisper.ts";
import type { Workspaces } from "./workspaces.ts";

const limits: PlatformLimits = {
  // A markdown block holds 12,000; from about 13,200 characters of all blocks Slack refuses a message (bolt-js #2509).
  message_characters: 11_000,
  // chat.update is in tier 3: 50 calls a minute.
  edit_interval_ms: 1_500,
  file_bytes: 100_000_000,
};

export interface SlackPlatformDeps extends SlackContext {
  settings: Pick<SlackSettings, "streaming" | "api_url">;
  addresses: ReplyAddresses;
  clock: Clock;
  logger: Log;
}

/** Slack as the app sees it. */
export function createSlackPlatform(deps: SlackPlatformDeps): ChatPlatform & Signs {
  const { settings, addresses, clock, logger, workspaces, directory } = deps;
  const context: SlackContext = { workspaces, directory };
  const writer = createMessageWriter(context, settings.streaming);
  const openStream = createStreams(context, writer, clock, limits.edit_interval_ms);

  return {
    id: "slack",
    limits,
    async post(place, message, to) {
      const room = await roomOf(context, place);
      const uploads = await uploadFiles(workspaces, room.team, message.files ?? []);
      try {
        const reference = await writer.post(room, message);
        if (uploads.length > 0) await showFiles(workspaces, writer, room, uploads);
        return reference;
      } catch (error) {
        // A command may come from a conversation the bot is not in; its own address works all the same.
        const absent = refusedWith(error, "not_in_channel", "channel_not_found");
        if (!absent || to === undefined) throw error;
        if (await answerAddress(writer, addresses, room.team, message, to, "in_channel")) return "response";
        throw error;
      }
    },
    edit: writer.edit,
    remove: writer.remove,
    whisper: createWhisper(context, writer, addresses),
    find: (place, tag) => findTagged(context, place, tag),
    ...(settings.streaming === "auto" ? { openStream } : {}),
    ...createSigns(context, logger),
    person: (place, id) => directory.person(targetOf(place), id),
    readThread: (place, limit) => readThread(context, place, limit),
    download: (place, file, options) =>
      downloadFile(workspaces, targetOf(place).team, file, { ...options, apiUrl: settings.api_url }),
    describe: (place) => describe(context, place),
  };
}

/** The message stands already: what Slack does not show with it is said, and nothing is posted twice. */
async function showFiles(
  workspaces: Workspaces,
  writer: MessageWriter,
  room: Room,
  uploads: readonly Upload[],
): Promise<void> {
  try {
    await shareFiles(workspaces, room, uploads);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const names = uploads.map(({ title }) => title).join(", ");
    await writer
      .post(room, { markdown: `I could not attach ${names}. ${error.message}` })
      .catch(ignoreRefusal);
  }
}

/** For words that are not worth failing what was done before them. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof PlatformError)) throw error;
}

async function describe(
  { directory }: SlackContext,
  place: Place,
): Promise<{ name?: string; topic?: string }> {
  const target = targetOf(place);
  if (target.channel === undefined) return {};
  try {
    const { name, about } = await directory.channel(target.team, target.channel);
    return { name, ...(about === "" ? {} : { topic: about }) };
  } catch (error) {
    if (error instanceof PlatformError) return {};
    throw error;
  }
}

import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import { readAtMost } from "../../../base/read-at-most.ts";
import { type ChatPlatform, PlatformError, type PlatformWriting } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue, Log } from "../../../core/ports/storage.ts";
import type { FileReference } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import { createChatActions } from "../channel/chat-actions.ts";
import { decidersIn } from "../channel/deciders.ts";
import type { Directory } from "../channel/directory.ts";
import type { DiscordContext } from "../channel/discord-context.ts";
import { readPlace } from "../channel/discord-place.ts";
import { knownNames } from "../channel/known-names.ts";
import { readThread } from "../channel/read-thread.ts";
import { readableText } from "../channel/readable-text.ts";
import { whoIs } from "../channel/who-is.ts";
import { isSnowflake } from "../connection/discord-facts.ts";
import type { DiscordRest } from "../connection/discord-rest.ts";
import type { DiscordSettings } from "../connection/discord-settings.ts";
import type { LiveInteractions } from "./live-interactions.ts";
import { DiscordMessages } from "./post-message.ts";
import { widestTable } from "./render-content.ts";
import { SentMessages } from "./sent-messages.ts";

/** The reaction to a message that the bot has seen: 👀. */
const eyes = encodeURIComponent("👀");

/** Discord as the app sees it. */
export function createDiscordPlatform(
  context: DiscordContext,
  live: LiveInteractions,
  store: KeyValue,
  clock: Clock,
  logger: Log,
  settings: Pick<DiscordSettings, "api_url" | "operators">,
): ChatPlatform {
  const { rest, directory, targets } = context;
  const messages = new DiscordMessages(context, new SentMessages(store, clock), live);
  const operators = new Set(settings.operators);
  /** Keeps the order: a reaction must not be removed before it is set. */
  const marks = new KeyedMutex();
  const quietly = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      logger.debug({ err: error }, `Discord: ${what} failed`);
      return undefined;
    }
  };
  return {
    id: "discord",
    limits: {
      message_characters: 1_900,
      answer_characters: 3_800,
      edit_interval_ms: 1_100,
      file_bytes: 10 * 1024 * 1024,
      posts_quietly: true,
    },
    writing: discordWriting,
    post: (...given) => messages.post(...given),
    edit: (_place, reference, message) => messages.edit(reference, message),
    remove: (_place, reference) => messages.remove(reference),
    whisper: (...given) => messages.whisper(...given),
    find: (place, tag) => messages.find(place, tag),
    person: (place, id) => whoIs(directory, operators, place, id),
    readThread: (place, limit) => readThread(context, place, limit),
    download: (_place, file, options) => downloadAttachment(rest, settings.api_url, file, options),
    async showWorking(place, note, to) {
      if (note === undefined || (to.message !== undefined && (await live.has(to.message)))) return;
      await quietly("typing", async () => {
        const { channel } = await targets.look(place);
        await rest.request("POST", `/channels/${channel}/typing`);
      });
    },
    dismiss: async ({ message }) => {
      if (message !== undefined) await quietly("a placeholder", () => live.dismiss(message));
    },
    async markSeen(place, message, seen) {
      if (!isSnowflake(message) || (await live.has(message))) return;
      await marks.run(message, () =>
        quietly("a reaction", async () => {
          const channel = await targets.channelOf(place, message);
          const path = `/channels/${channel}/messages/${message}/reactions/${eyes}/@me` as const;
          await rest.request(seen ? "PUT" : "DELETE", path);
        }),
      );
    },
    actions: createChatActions(context, clock),
    deciders: async (place, approver) =>
      (await quietly("who may decide", () => decidersIn(context, operators, place, approver))) ?? [],
    describe: async (place) => (await quietly("a channel's name", () => describe(directory, place))) ?? {},
  };
}

async function describe(directory: Directory, place: Place): ReturnType<ChatPlatform["describe"]> {
  const { guild, channel } = readPlace(place);
  const facts = channel === undefined ? undefined : await directory.channel(channel);
  if (facts === undefined) return {};
  const { topic: written = "" } = facts;
  if (guild !== undefined && written !== "") await directory.learnNames(guild);
  const topic = readableText(written, knownNames(directory, guild));
  return { name: facts.name, topic: topic || undefined };
}

/** Describes how `render-content.ts` and `message-body.ts` render an answer. Models read it. */
export const discordWriting: PlatformWriting = {
  name: "Discord",
  formatting: `Write Markdown: lists, three levels of headings, and code are shown. Tables are drawn in a code block; one wider than ${widestTable} characters becomes a list, so keep tables narrow. Images become links; HTML and formulas stay as written.`,
  mentions:
    "A mention notifies: <@123456789012345678> a person, <@&123456789012345678> a role. Write one only for those whom the message mentions, who asked, or whom the person confirmed, when they should be notified; others show a name without notifying, @everyone and @here are shown as plain text.",
};

/** Discord's hosts of attachments. */
const attachmentHosts = ["cdn.discordapp.com", "media.discordapp.net"];

/**
 * The bytes of an attachment. Its address is valid for a day; an expired one is renewed. @throws PlatformError
 * @param api address of another API, which also serves the attachments
 */
async function downloadAttachment(
  rest: DiscordRest,
  api: string | undefined,
  file: FileReference,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  if (file.bytes > maxBytes) throw tooLarge(file, maxBytes);
  const url = attachmentUrl(file, api);
  let response = await fetchAttachment(url, signal);
  if (response.status === 403 || response.status === 404) {
    await response.body?.cancel();
    const body = { attachment_urls: [url.href] };
    const path = "/attachments/refresh-urls";
    const answer = await rest.request<{ refreshed_urls: { refreshed: string }[] }>("POST", path, { body });
    const refreshed = answer.refreshed_urls[0]?.refreshed;
    if (refreshed !== undefined)
      response = await fetchAttachment(attachmentUrl({ ...file, url: refreshed }, api), signal);
  }
  if (response.ok) return readAtMost(response.body, maxBytes, () => tooLarge(file, maxBytes));
  await response.body?.cancel();
  const isGone = response.status < 500;
  const message = isGone
    ? `${file.name} is not on Discord any more. Send it again.`
    : `Discord could not give ${file.name} (HTTP ${response.status}). Send it again.`;
  throw new PlatformError(isGone ? "gone" : "unavailable", message);
}

function attachmentUrl(file: FileReference, api: string | undefined): URL {
  const url = URL.canParse(file.url ?? "") ? new URL(file.url ?? "") : undefined;
  const own = api === undefined ? undefined : new URL(api).origin;
  const isOurs =
    url !== undefined &&
    (url.origin === own || (url.protocol === "https:" && attachmentHosts.includes(url.hostname)));
  if (isOurs) return url;
  throw new PlatformError("invalid", `${file.name} is not an attachment of Discord's.`);
}

async function fetchAttachment(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, redirect: "error" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new PlatformError("unavailable", "Discord's files cannot be reached. Try again.", { cause: error });
  }
}

function tooLarge(file: FileReference, maxBytes: number): PlatformError {
  const limit = Math.floor(maxBytes / 1_000_000);
  return new PlatformError("too_large", `${file.name} is larger than ${limit} MB. Send a smaller file.`);
}

import type { webApi } from "@slack/bolt";
import { z } from "zod";
import type { ChannelAccess, ChannelMessage, ChannelSummary, ChatActions } from "../../core/chat-actions.ts";
import { channelThread, PlatformError } from "../../core/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import { createFindPeople } from "./find-people.ts";
import { createLookup } from "./lookup.ts";
import { isSaid, type SlackMessage } from "./message-event.ts";
import { findMessage, linkTo, readRange, showMessage } from "./read-channel.ts";
import { refusedWith } from "./slack-call.ts";
import { directNamespace, directThread, isTimestamp, slackNamespace, targetOf } from "./slack-place.ts";
import { type Room, roomOf, type SlackContext } from "./slack-rooms.ts";

/** Channels, and pages of them, that are looked at. */
const mostChannels = 1_000;
const pageSize = 200;

/** How long what Slack said of channels and their members holds, ms. */
const accessAge = 60_000;
/** How long the address of a workspace holds, ms. */
const addressAge = 24 * 3_600_000;

/** What Slack says of a conversation. https://docs.slack.dev/reference/objects/conversation-object */
const conversationSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  is_private: z.boolean().nullish(),
  is_archived: z.boolean().nullish(),
  is_member: z.boolean().nullish(),
  is_im: z.boolean().nullish(),
  topic: z.looseObject({ value: z.string().nullish() }).nullish(),
});
type Conversation = z.infer<typeof conversationSchema>;

/**
 * What the agent does in Slack beside answering. There is no `search`: Slack's searches want a token of the person, or one that comes with
 * their message and expires (https://docs.slack.dev/ai/using-data-access-api), so channels are looked through or indexed instead.
 */
export function createChatActions(context: SlackContext, clock: Clock): ChatActions {
  const { workspaces } = context;
  const own = createLookup(clock, accessAge, (team) => ownConversations(context, team));
  const members = createLookup(clock, accessAge, (key) => readMembers(context, ...split(key)));
  const addresses = createLookup(clock, addressAge, (team) => addressOf(context, team));

  const allMembers = (team: string, channel: string) => members.get(`${team}/${channel}`);
  const isFullMember = async (team: string, person: string) =>
    (await context.directory.person({ team, person }, person)).standing === "member";
  /** Full members read public channels they have not joined. */
  const mayRead = async (team: string, channel: Conversation, person: string) =>
    (channel.is_private !== true && (await isFullMember(team, person))) ||
    (await allMembers(team, channel.id)).has(person);

  const shown = async (room: Room, messages: readonly SlackMessage[]): Promise<ChannelMessage[]> => {
    const [who, address] = await Promise.all([workspaces.of(room.team), addresses.get(room.team)]);
    return Promise.all(
      messages.filter(isSaid).map((message) => showMessage(context, { room, address, ...who }, message)),
    );
  };

  return {
    posts: true,
    async channels(namespace, person) {
      const { team } = targetOf({ namespace, thread: channelThread });
      const found = (await own.get(team)).filter(({ is_im }) => is_im !== true).slice(0, mostChannels);
      const readable = await Promise.all(
        found.map(async (channel) => ((await mayRead(team, channel, person)) ? [channel] : [])),
      );
      return readable
        .flat()
        .map((channel) => summaryOf(team, channel))
        .toSorted((a, b) => a.name.localeCompare(b.name));
    },
    async access(namespace, person): Promise<ChannelAccess | undefined> {
      const target = targetOf({ namespace, thread: channelThread });
      const { team, channel } = target;
      if (channel === undefined) {
        if (target.person !== person) return undefined;
        return { namespace, name: "direct message", open: false, write: true, pin: true };
      }
      const found = (await own.get(team).catch(notInstalled)).find(({ id }) => id === channel);
      if (found === undefined || !(await mayRead(team, found, person))) return undefined;
      const isIn = (await allMembers(team, channel)).has(person);
      const write = isIn && found.is_archived !== true;
      return { ...summaryOf(team, found), write, pin: write };
    },
    async history(place, { since, until, most }) {
      const room = await roomOf(context, place);
      const range = {
        ...(since === undefined ? {} : { oldest: String(since / 1_000) }),
        ...(until === undefined ? {} : { latest: String(until / 1_000) }),
      };
      const { messages, more } = await readRange(context, room, range, most);
      return { messages: await shown(room, messages), more };
    },
    async link(namespace, reference, thread) {
      const room = await roomOf(context, { namespace, thread: channelThread });
      return linkTo(await addresses.get(room.team), room.channel, reference, thread);
    },
    async message(namespace, reference) {
      if (!isTimestamp(reference)) return undefined;
      const room = await roomOf(context, { namespace, thread: channelThread });
      const found = await findMessage(context, room, reference);
      return found === undefined ? undefined : (await shown(room, [found]))[0];
    },
    people: createFindPeople(context, clock, allMembers),
    async react(namespace, reference, emoji, on) {
      if (!/^[a-z0-9_+'-]+$/.test(emoji))
        throw new PlatformError("invalid", `${emoji} is not the name of an emoji: thumbsup, eyes, tada are.`);
      const { team, channel } = await roomOf(context, { namespace, thread: channelThread });
      const reaction = { channel, timestamp: reference, name: emoji };
      await unless(["already_reacted", "no_reaction"], () =>
        workspaces.call(team, `react with ${emoji}`, ({ write }) =>
          on ? write.reactions.add(reaction) : write.reactions.remove(reaction),
        ),
      );
    },
    async pin(namespace, reference, on) {
      const { team, channel } = await roomOf(context, { namespace, thread: channelThread });
      const pinned = { channel, timestamp: reference };
      await unless(["already_pinned", "no_pin"], () =>
        workspaces.call(team, "pin a message", ({ write }) =>
          on ? write.pins.add(pinned) : write.pins.remove(pinned),
        ),
      );
    },
    async direct(namespace, person) {
      const { team } = targetOf({ namespace, thread: channelThread });
      await context.directory.directChannel(team, person);
      return { namespace: directNamespace(team, person), thread: directThread };
    },
  };
}

const split = (key: string) => key.split("/") as [string, string];

function summaryOf(team: string, { id, name, topic, is_private }: Conversation): ChannelSummary {
  const about = topic?.value ?? "";
  return {
    namespace: slackNamespace(team, id),
    name: name ?? id,
    ...(about === "" ? {} : { topic: about }),
    open: is_private !== true,
  };
}

/** Conversations the bot is in. */
async function ownConversations({ workspaces }: SlackContext, team: string): Promise<Conversation[]> {
  const found: Conversation[] = [];
  let cursor: string | undefined;
  do {
    const answer = await workspaces.call(team, "list its channels", ({ read }) =>
      read.users.conversations({
        types: "public_channel,private_channel",
        limit: pageSize,
        ...(cursor && { cursor }),
      }),
    );
    found.push(...z.array(conversationSchema).parse(answer.channels ?? []));
    cursor = answer.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined && found.length < mostChannels);
  return found;
}

/** Nothing can be seen of a workspace the bot is not in. */
function notInstalled(error: unknown): Conversation[] {
  if (error instanceof PlatformError && error.code === "gone") return [];
  throw error;
}

/** Members beyond which a channel's list is not read on: people who are not on it are looked at as if they were not in it. */
const mostMembers = 20_000;

async function readMembers(
  { workspaces }: SlackContext,
  team: string,
  channel: string,
): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const answer = await workspaces.call(team, "list a channel's members", ({ read }) =>
      read.conversations.members({ channel, limit: 1_000, ...(cursor && { cursor }) }),
    );
    for (const id of answer.members ?? []) found.add(id);
    cursor = answer.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined && found.size < mostMembers);
  return found;
}

/** `https://acme.slack.com/` */
async function addressOf({ workspaces }: SlackContext, team: string): Promise<string> {
  const { url } = await workspaces.call(team, "say where it is", ({ read }) => read.auth.test());
  return url ?? "https://slack.com/";
}

/** Does something that may be done already. */
async function unless(codes: readonly string[], work: () => Promise<webApi.WebAPICallResult>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!refusedWith(error, ...codes)) throw error;
  }
}

import { z } from "zod";
import type { ChannelAccess, ChannelSummary, ChatActions } from "../../../core/ports/chat-actions.ts";
import { channelThread, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { Lookup } from "./lookup.ts";
import { readProfile } from "./person-directory.ts";
import { slackNamespace, targetOf } from "./slack-place.ts";
import type { SlackContext } from "./slack-rooms.ts";
import { readPages } from "./workspace-lists.ts";

/** Lifetime of cached channels and memberships, ms: a person who was just invited should not have to wait. */
const accessAge = 15_000;
/** Maximum channels of the bot, and of a person, that are considered. */
const maxChannels = 1_000;
const maxChannelsOfPerson = 5_000;

/** A conversation as Slack returns it. https://docs.slack.dev/reference/objects/conversation-object */
const conversationSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  is_private: z.boolean().nullish(),
  is_archived: z.boolean().nullish(),
  is_member: z.boolean().nullish(),
  is_ext_shared: z.boolean().nullish(),
  is_mpim: z.boolean().nullish(),
  topic: z.looseObject({ value: z.string().nullish() }).nullish(),
});
type Conversation = z.infer<typeof conversationSchema>;

/** Ids of public and private channels and group messages, not of the bot's direct messages. */
const channelId = /^[CG][A-Z0-9]+$/;

/** Where people may read and write, from answers of Slack that are at most a few seconds old. */
export function createChannelAccess(
  context: SlackContext,
  clock: Clock,
): Pick<ChatActions, "channels" | "access"> {
  const { workspaces, directory } = context;
  const fresh = <T>(look: (team: string, id: string) => Promise<T>) => {
    const lookup = new Lookup(clock, accessAge, (key) => look(...(key.split("/") as [string, string])));
    return (team: string, id: string) => lookup.get(`${team}/${id}`);
  };
  const channelOf = fresh((team, channel) => readChannel(context, team, channel));
  const channelsOf = fresh((team, person) => readChannels(context, team, person));
  const standingOf = fresh(async (team, id) => (await readProfile(workspaces, team, id)).standing);

  const isIn = async (team: string, channel: Conversation, person: string): Promise<boolean> => {
    // Slack does not list the channels of people of other companies. They are only in shared channels.
    if ((await standingOf(team, person)) === "outsider")
      return channel.is_ext_shared === true && (await directory.lists.members(team, channel.id)).has(person);
    return (await channelsOf(team, person)).some(({ id }) => id === channel.id);
  };
  /** Full members can read public channels they have not joined. */
  const mayRead = async (team: string, channel: Conversation, person: string): Promise<boolean> =>
    (isOpen(channel) && (await standingOf(team, person)) === "member") || isIn(team, channel, person);

  return {
    async channels(namespace, person) {
      const { team } = targetOf({ namespace, thread: channelThread });
      const { self } = await workspaces.of(team);
      const own = (await channelsOf(team, self)).filter(({ is_mpim }) => is_mpim !== true);
      const readable = await Promise.all(
        own
          .slice(0, maxChannels)
          .map(async (channel) => ((await mayRead(team, channel, person)) ? [summaryOf(team, channel)] : [])),
      );
      return readable.flat().toSorted((a, b) => a.name.localeCompare(b.name));
    },
    async access(namespace, person): Promise<ChannelAccess | undefined> {
      const { team, ...where } = targetOf({ namespace, thread: channelThread });
      if (where.channel === undefined) {
        if (where.person !== person) return undefined;
        return { namespace, name: "direct message", open: false, write: true, pin: true };
      }
      const channel = channelId.test(where.channel) ? await channelOf(team, where.channel) : undefined;
      if (channel === undefined || !(await mayRead(team, channel, person))) return undefined;
      const write = channel.is_archived !== true && (await isIn(team, channel, person));
      return { ...summaryOf(team, channel), write, pin: write };
    },
  };
}

const isOpen = ({ is_private }: Conversation): boolean => is_private === false;

function summaryOf(team: string, channel: Conversation): ChannelSummary {
  const { id, name, topic } = channel;
  return {
    namespace: slackNamespace(team, id),
    name: name ?? id,
    topic: topic?.value || undefined,
    open: isOpen(channel),
  };
}

/** The channels of a workspace that the bot is in, as namespaces. @throws PlatformError */
export async function ownChannels(context: SlackContext, team: string): Promise<string[]> {
  const { self } = await context.workspaces.of(team);
  return (await readChannels(context, team, self)).map(({ id }) => slackNamespace(team, id));
}

/** Undefined if the bot is not a member, or not installed. */
async function readChannel(
  { workspaces }: SlackContext,
  team: string,
  id: string,
): Promise<Conversation | undefined> {
  try {
    const { channel } = await workspaces.call(team, "say what a channel is", ({ read }) =>
      read.conversations.info({ channel: id }),
    );
    const found = conversationSchema.parse(channel);
    return found.is_member === false ? undefined : found;
  } catch (error) {
    if (error instanceof PlatformError && error.code === "gone") return undefined;
    throw error;
  }
}

/** A person's public channels, and the other channels that they share with the bot. */
async function readChannels(
  { workspaces }: SlackContext,
  team: string,
  user: string,
): Promise<Conversation[]> {
  const types = "public_channel,private_channel,mpim";
  const all = await readPages(
    maxChannelsOfPerson,
    (page) =>
      workspaces.call(team, "list channels", ({ read, self }) =>
        read.users.conversations({ ...(user === self ? {} : { user }), types, ...page }),
      ),
    ({ channels }) => channels,
  );
  return z.array(conversationSchema).parse(all);
}

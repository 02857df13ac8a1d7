import { emojiNames } from "../../../app/reading/emoji-names.ts";
import type { ChannelMessage, ChatActions } from "../../../core/ports/chat-actions.ts";
import { channelThread, PlatformError } from "../../../core/ports/chat-platform.ts";
import { refusedWith, unlessRefused } from "../connection/slack-call.ts";
import { createChannelAccess } from "./channel-access.ts";
import { createFindPeople } from "./find-people.ts";
import { Lookup } from "./lookup.ts";
import { isSaid, type SlackMessage } from "./message-event.ts";
import { findMessage, linkTo, readRange, showMessage } from "./read-history.ts";
import { createSlackSearch, type SearchContext } from "./search-messages.ts";
import { directNamespace, directThread, isTimestamp, targetOf } from "./slack-place.ts";
import { type Room, roomOf, type SlackContext } from "./slack-rooms.ts";

/** Lifetime of a cached workspace address, ms. */
const addressAge = 24 * 3_600_000;

/** The agent's actions in Slack other than answering. */
export function createChatActions(context: SearchContext): ChatActions {
  const { clock, workspaces } = context;
  const addresses = new Lookup(clock, addressAge, (team) => addressOf(context, team));
  const shown = async (room: Room, messages: readonly SlackMessage[]): Promise<ChannelMessage[]> => {
    const [who, address] = await Promise.all([workspaces.of(room.team), addresses.get(room.team)]);
    return Promise.all(
      messages.filter(isSaid).map((message) => showMessage(context, { room, address, ...who }, message)),
    );
  };
  const channelOf = (namespace: string) => roomOf(context, { namespace, thread: channelThread });

  const message: ChatActions["message"] = async (namespace, reference) => {
    if (!isTimestamp(reference)) return undefined;
    const room = await channelOf(namespace);
    const found = await findMessage(context, room, reference);
    return found === undefined ? undefined : (await shown(room, [found]))[0];
  };

  return {
    posts: true,
    message,
    ...createSlackSearch(context, message),
    ...createChannelAccess(context, clock),
    async history(place, { most, ...range }) {
      const room = await roomOf(context, place);
      const { messages, more } = await readRange(context, room, range, most);
      return { messages: await shown(room, messages), more };
    },
    async link(namespace, reference, thread) {
      const room = await channelOf(namespace);
      const within = thread !== undefined && isTimestamp(thread) ? thread : undefined;
      return linkTo(await addresses.get(room.team), room.channel, reference, within);
    },
    people: createFindPeople(context),
    react: async (namespace, reference, emoji, on) =>
      react(context, await channelOf(namespace), reference, emoji, on),
    async pin(namespace, reference, on) {
      const { team, channel } = await channelOf(namespace);
      const pinned = { channel, timestamp: reference };
      await unlessRefused(["already_pinned", "no_pin"], () =>
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

/** `https://acme.slack.com/` */
async function addressOf({ workspaces }: SlackContext, team: string): Promise<string> {
  const { url } = await workspaces.call(team, "say where it is", ({ read }) => read.auth.test());
  return url ?? "https://slack.com/";
}

/** Only Slack knows all names, including the workspace's own: the candidates are tried one after the other. */
async function react(
  { workspaces }: SlackContext,
  { team, channel }: Room,
  reference: string,
  emoji: string,
  on: boolean,
): Promise<void> {
  for (const name of await emojiNames(emoji)) {
    const reaction = { channel, timestamp: reference, name };
    try {
      await unlessRefused(["already_reacted", "no_reaction"], () =>
        workspaces.call(team, `react with ${name}`, ({ write }) =>
          on ? write.reactions.add(reaction) : write.reactions.remove(reaction),
        ),
      );
      return;
    } catch (error) {
      if (!refusedWith(error, "invalid_name")) throw error;
    }
  }
  throw new PlatformError(
    "invalid",
    `Slack knows no emoji ${emoji} here. Give its name as Slack shows it: thumbsup, eyes, tada.`,
  );
}

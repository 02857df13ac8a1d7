import type {
  ChannelMessage,
  ChatActions,
  KnownGroup,
  KnownPerson,
} from "../../../src/core/ports/chat-actions.ts";
import { channelThread, PlatformError } from "../../../src/core/ports/chat-platform.ts";

/** A channel of the fake chat. */
interface FakeChannel {
  namespace: string;
  name: string;
  topic?: string;
  /** Only members may read it. */
  private?: true;
  archived?: true;
  /** Person ids; the bot is also a member unless excluded. */
  members: string[];
  withoutBot?: true;
}

export interface FakeChat extends ChatActions {
  readonly rooms: FakeChannel[];
  readonly messages: (ChannelMessage & { namespace: string })[];
  readonly known: KnownPerson[];
  readonly groups: KnownGroup[];
  /** `+thumbsup m1`, `-thumbsup m1`, in order. */
  readonly reactions: string[];
  /** Ids of messages that are pinned now. */
  readonly pins: Set<string>;
  /** People who may not pin. */
  readonly mayNotPin: Set<string>;
}

/** Channels in memory that fulfil the contract of `ChatActions`. */
export function createFakeChat(): FakeChat {
  const rooms: FakeChannel[] = [];
  const messages: FakeChat["messages"] = [];
  const known: KnownPerson[] = [];
  const groups: KnownGroup[] = [];
  const reactions: string[] = [];
  const pins = new Set<string>();
  const mayNotPin = new Set<string>();
  const has = (text: string | undefined, words: string) =>
    words.split(/\s+/).every((word) => (text ?? "").toLowerCase().includes(word.toLowerCase()));
  const seen = ({ members, private: isPrivate, withoutBot }: FakeChannel, person: string) =>
    withoutBot !== true && (isPrivate !== true || members.includes(person));

  return {
    rooms,
    messages,
    known,
    groups,
    reactions,
    pins,
    mayNotPin,
    posts: true,
    async channels(_namespace, person) {
      return rooms
        .filter((room) => seen(room, person))
        .map(({ namespace, name, topic, private: isPrivate }) => ({
          namespace,
          name,
          topic,
          open: isPrivate !== true,
        }));
    },
    async access(namespace, person) {
      const room = rooms.find((each) => each.namespace === namespace);
      if (room === undefined || !seen(room, person)) return undefined;
      const write = room.members.includes(person) && room.archived !== true;
      const { name, topic } = room;
      return { namespace, name, topic, open: room.private !== true, write, pin: !mayNotPin.has(person) };
    },
    async history({ namespace, thread }, { since = 0, until = Number.POSITIVE_INFINITY, most }) {
      const all = messages.filter(
        (each) =>
          each.namespace === namespace &&
          (thread === channelThread
            ? each.thread === undefined || each.thread === each.id
            : each.thread === thread || each.id === thread) &&
          each.at >= since &&
          each.at <= until,
      );
      return { messages: all.slice(-most), more: all.length > most };
    },
    link: async (_namespace, reference) => `https://chat.example/${reference}`,
    message: async (namespace, id) => messages.find((each) => each.namespace === namespace && each.id === id),
    async people(_namespace, { words, most }) {
      const people = known.filter(({ id, name, full_name, title }) =>
        has(`${id} ${name} ${full_name ?? ""} ${title ?? ""}`, words),
      );
      const fit = groups.filter(({ id, name }) => has(`${id} ${name}`, words));
      return { people: people.slice(0, most), groups: fit, more: people.length > most };
    },
    async react(_namespace, reference, emoji, on) {
      if (emoji === "no_such_emoji") throw new PlatformError("invalid", "There is no emoji no_such_emoji.");
      reactions.push(`${on ? "+" : "-"}${emoji} ${reference}`);
    },
    async pin(_namespace, reference, on) {
      if (on) pins.add(reference);
      else pins.delete(reference);
    },
    direct: async (_namespace, person) => ({ namespace: `fake:team:dm-${person}`, thread: "dm" }),
  };
}

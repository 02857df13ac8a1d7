import type { KeyValue } from "../../../core/key-value.ts";

/** The channels of a platform the bot was invited to: mentions are missed there also where nothing was said to it yet. */
export interface JoinedChannels {
  all(platform: string): Promise<string[]>;
  add(namespace: string): Promise<void>;
  remove(namespace: string): Promise<void>;
}

/** Channels kept per platform, the latest. Those in which turns were made are known from the log. */
const remembered = 2_000;

const keyOf = (platform: string) => `chat-joined:${platform}`;

const platformOf = (namespace: string) => namespace.slice(0, namespace.indexOf(":"));

export function createJoinedChannels(store: KeyValue): JoinedChannels {
  const change = async (namespace: string, isIn: boolean) => {
    await store.update<string[]>(keyOf(platformOf(namespace)), (joined = []) => {
      const others = joined.filter((each) => each !== namespace);
      return isIn ? [...others, namespace].slice(-remembered) : others;
    });
  };
  return {
    async all(platform) {
      const joined = await store.get(keyOf(platform));
      return Array.isArray(joined) ? joined.filter((each) => typeof each === "string") : [];
    },
    add: (namespace) => change(namespace, true),
    remove: (namespace) => change(namespace, false),
  };
}

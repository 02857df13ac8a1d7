import type { Address } from "./address.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import { readThread, watchChannel } from "./channel-feed.ts";
import { parseChannelName, toChannels } from "./channels.ts";
import type { Session } from "./session.ts";
import type { ConsoleStore } from "./state.ts";
import { emptyTimeline } from "./timeline.ts";

/** Moving between channels and threads. */
export interface ChannelActions {
  /** Reads what the console needs to begin with, and shows `address`. */
  start(address: Address): Promise<void>;
  open(address: Address): void;
  /** Opens the thread that was open in the channel before; in the channel that is open, the place where one begins. */
  openChannel(namespace: string): void;
  beginThread(): void;
  addChannel(name: string): void;
  showChannelForm(shown: boolean): void;
  /** Stops following the channel; what is shown stays. */
  rest(): void;
  /** Goes on following it, and reads what was missed. */
  resume(): void;
}

export interface ChannelParts {
  store: ConsoleStore;
  session: Session;
  storage: BrowserStorage;
  /** Called with every address that is opened. */
  opened(address: Address): void;
  /** Called when the skills or settings of the open channel may have changed. */
  channelChanged(): void;
  /** Called when the connection is there (again). */
  connected(): void;
}

export function createChannelActions(parts: ChannelParts): ChannelActions {
  const { store, session, storage } = parts;
  let feed = new AbortController();
  let watched: string | undefined;

  const watch = (namespace: string) => {
    feed.abort();
    feed = new AbortController();
    watched = namespace;
    store.set({ connection: "connecting", settings: undefined, unread: new Set(), threads: undefined });
    parts.channelChanged();
    void watchChannel({ ...parts, namespace, signal: feed.signal });
  };

  const open = (address: Address) => {
    const before = store.get().open;
    if (watched === address.namespace && before.thread === address.thread) return;
    if (watched !== undefined) storage.keepDraft(before, store.get().draft);
    storage.keepLastThread(address);
    store.set((state) => ({
      open: address,
      timeline: emptyTimeline,
      threadLoaded: address.thread === undefined,
      draft: storage.draft(address),
      completions: undefined,
      sidebarOpen: false,
      dialog: state.dialog === "switcher" ? undefined : state.dialog,
      unread: new Set([...state.unread].filter((thread) => thread !== address.thread)),
      outgoing: state.outgoing.filter(({ turn_id }) => turn_id === undefined),
      channels: toChannels([...state.channels.map(({ namespace }) => namespace), address.namespace]),
    }));
    parts.opened(address);
    if (watched !== address.namespace) watch(address.namespace);
    else void readThread(store, session);
  };

  return {
    async start(address) {
      watched = undefined;
      open(address);
      const about = await session.attempt((client) => client.call("bot.about", {}));
      if (about === undefined) return;
      store.set({ about });
      const listed = await session.attempt((client) => client.call("channel.list", {}));
      const known = [
        ...storage.channels(),
        ...(listed?.namespaces ?? []).map(({ namespace }) => namespace),
        address.namespace,
      ];
      store.set({ channels: toChannels(known) });
    },
    open,
    openChannel(namespace) {
      const isOpen = namespace === store.get().open.namespace;
      open({ namespace, thread: isOpen ? undefined : storage.lastThread(namespace) });
    },
    beginThread: () => open({ namespace: store.get().open.namespace, thread: undefined }),
    addChannel(name) {
      const parsed = parseChannelName(name);
      if (!parsed.ok) return store.set({ addingChannel: { problem: parsed.message } });
      const namespaces = [...store.get().channels.map(({ namespace }) => namespace), parsed.namespace];
      store.set({ channels: toChannels(namespaces), addingChannel: undefined });
      storage.keepChannels(namespaces);
      open({ namespace: parsed.namespace, thread: undefined });
    },
    rest: () => feed.abort(),
    resume() {
      if (watched === undefined || !feed.signal.aborted) return;
      feed = new AbortController();
      void watchChannel({ ...parts, namespace: watched, signal: feed.signal });
    },
    showChannelForm: (shown) => store.set({ addingChannel: shown ? { problem: undefined } : undefined }),
  };
}

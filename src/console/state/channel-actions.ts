import { sharedRun } from "../../base/shared-run.ts";
import type * as shapes from "../../client/shapes.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import { type Address, parseChannelName, toChannels } from "./channels.ts";
import type { Session } from "./session.ts";
import type { ConsoleStore } from "./state.ts";
import { addLive, addRead, emptyTimeline } from "./timeline.ts";

export type ChannelActions = ReturnType<typeof createChannelActions>;

/** What the channels need of the page. */
interface ChannelPage {
  store: ConsoleStore;
  session: Session;
  storage: BrowserStorage;
  /** Called with every address that is opened. */
  opened(address: Address): void;
  /** Called when the skills or settings of the open channel may have changed. */
  channelChanged(): void;
  /** Called when the connection is open, also after a reconnect. */
  connected(): void;
}

/** Moving between channels and threads. */
export function createChannelActions(page: ChannelPage) {
  const { store, session, storage } = page;
  let feed = new AbortController();
  let watched: string | undefined;

  const watch = (namespace: string) => {
    feed.abort();
    feed = new AbortController();
    watched = namespace;
    store.set({ connection: "connecting", settings: undefined, unread: new Set(), threads: undefined });
    page.channelChanged();
    void watchChannel({ ...page, namespace, signal: feed.signal });
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
    page.opened(address);
    if (watched !== address.namespace) watch(address.namespace);
    else void readThread(store, session);
  };

  return {
    /** Reads the initial data, and shows `address`. */
    async start(address: Address) {
      watched = undefined;
      open(address);
      const about = await session.call("bot.about", {});
      if (about === undefined) return;
      store.set({ about });
      const listed = await session.call("channel.list", {});
      const known = [
        ...storage.channels(),
        ...(listed?.namespaces ?? []).map(({ namespace }) => namespace),
        address.namespace,
      ];
      store.set({ channels: toChannels(known) });
    },
    open,
    /** Opens the last thread of a channel; for the open channel, the start of a new thread. */
    openChannel(namespace: string) {
      const isOpen = namespace === store.get().open.namespace;
      open({ namespace, thread: isOpen ? undefined : storage.lastThread(namespace) });
    },
    beginThread: () => open({ namespace: store.get().open.namespace, thread: undefined }),
    addChannel(name: string) {
      const parsed = parseChannelName(name);
      if (!parsed.ok) return store.set({ addingChannel: { problem: parsed.message } });
      const namespaces = [...store.get().channels.map(({ namespace }) => namespace), parsed.namespace];
      store.set({ channels: toChannels(namespaces), addingChannel: undefined });
      storage.keepChannels(namespaces);
      open({ namespace: parsed.namespace, thread: undefined });
    },
    /** Stops following the channel; the page stays as it is. */
    rest: () => feed.abort(),
    /** Follows the channel again, and reads what it missed. */
    resume() {
      if (watched === undefined || !feed.signal.aborted) return;
      feed = new AbortController();
      void watchChannel({ ...page, namespace: watched, signal: feed.signal });
    },
    showChannelForm: (shown: boolean) =>
      store.set({ addingChannel: shown ? { problem: undefined } : undefined }),
  };
}

interface ChannelFeed extends ChannelPage {
  namespace: string;
  signal: AbortSignal;
}

/** Events that change the list of threads. */
const listChanges: ReadonlySet<string> = new Set(["inbound", "turn_waiting", "turn_finished"]);

/**
 * Keeps the open channel up to date until the signal aborts. The feed repeats no events, so the threads and the open thread are
 * read after each connect.
 */
async function watchChannel(feed: ChannelFeed): Promise<void> {
  const { store, session, namespace, signal } = feed;
  const readThreads = sharedRun(() => readThreadList(feed));
  const readOpenThread = sharedRun(() => readThread(store, session));
  let connections = 0;
  void readThreads();
  void readOpenThread();
  await session.attempt(async (client) => {
    const items = client.watchNamespace(namespace, signal, ({ state }) => {
      if (signal.aborted) return;
      store.set({ connection: state === "open" ? "live" : "lost" });
      if (state !== "open") return;
      connections += 1;
      void readThreads();
      void readOpenThread();
      if (connections > 1) feed.channelChanged();
      feed.connected();
    });
    for await (const item of items) {
      if (item.kind === "state") feed.channelChanged();
      else {
        if (!applyEvent(store, item)) void readOpenThread();
        if (listChanges.has(item.event.type)) void readThreads();
      }
    }
  });
}

/** Reads the open thread and shows it. Does nothing for a new thread. */
async function readThread(store: ConsoleStore, session: Session): Promise<void> {
  const { namespace, thread } = store.get().open;
  if (thread === undefined) return;
  const read = await session.call("thread.show", { ns: namespace, thread }, ignoreUnreachable(store));
  const { open } = store.get();
  if (read === undefined || open.namespace !== namespace || open.thread !== thread) return;
  store.set((state) => {
    const timeline = addRead(state.timeline, read.turns);
    return { timeline, threadLoaded: true, outgoing: withoutArrived(state.outgoing, timeline) };
  });
}

async function readThreadList({ store, session, namespace, signal }: ChannelFeed): Promise<void> {
  const listed = await session.call("thread.list", { ns: namespace }, ignoreUnreachable(store));
  if (listed !== undefined && !signal.aborted) store.set({ threads: listed.threads });
}

/** Shows one event of the feed. False if the open thread must be read again, because earlier events are missing. */
function applyEvent(store: ConsoleStore, { thread, event }: shapes.FeedItem & { kind: "event" }): boolean {
  const state = store.get();
  if (thread !== state.open.thread) {
    if (event.type === "turn_finished") store.set({ unread: new Set([...state.unread, thread]) });
    return true;
  }
  const { timeline, complete } = addLive(state.timeline, event);
  store.set({ timeline, now: Date.now(), outgoing: withoutArrived(state.outgoing, timeline) });
  return complete;
}

function withoutArrived<T extends { turn_id?: string }>(
  outgoing: readonly T[],
  turns: ReadonlyMap<string, unknown>,
): readonly T[] {
  const left = outgoing.filter(({ turn_id }) => turn_id === undefined || !turns.has(turn_id));
  return left.length === outgoing.length ? outgoing : left;
}

/** Shows a failure as a notice, except a lost connection, which has a banner. */
function ignoreUnreachable(store: ConsoleStore): (error: { isTemporary: boolean; detail: string }) => void {
  return ({ isTemporary, detail }) => {
    if (isTemporary) store.set({ connection: "lost" });
    else store.set({ notice: detail });
  };
}

import { sharedRun } from "../../base/shared-run.ts";
import type * as shapes from "../../client/shapes.ts";
import type { Session } from "./session.ts";
import type { ConsoleStore } from "./state.ts";
import { addLive, addRead } from "./timeline.ts";

export interface ChannelFeed {
  store: ConsoleStore;
  session: Session;
  namespace: string;
  signal: AbortSignal;
  channelChanged(): void;
  connected(): void;
}

/** Events after which the list of threads looks different. */
const listChanges: ReadonlySet<string> = new Set(["inbound", "turn_waiting", "turn_finished"]);

/**
 * Keeps the open channel in step with the server until the signal aborts. The feed repeats nothing, so the threads and
 * the open thread are read on every connection.
 */
export async function watchChannel(feed: ChannelFeed): Promise<void> {
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

/** Reads the open thread and shows it; does nothing where a new one begins. */
export async function readThread(store: ConsoleStore, session: Session): Promise<void> {
  const { namespace, thread } = store.get().open;
  if (thread === undefined) return;
  const read = await session.attempt(
    (client) => client.call("thread.show", { ns: namespace, thread }),
    ignoreUnreachable(store),
  );
  const { open } = store.get();
  if (read === undefined || open.namespace !== namespace || open.thread !== thread) return;
  store.set((state) => {
    const timeline = addRead(state.timeline, read.turns);
    return { timeline, threadLoaded: true, outgoing: withoutArrived(state.outgoing, timeline) };
  });
}

async function readThreadList({ store, session, namespace, signal }: ChannelFeed): Promise<void> {
  const listed = await session.attempt(
    (client) => client.call("thread.list", { ns: namespace }),
    ignoreUnreachable(store),
  );
  if (listed !== undefined && !signal.aborted) store.set({ threads: listed.threads });
}

/** Shows one event of the feed. False when the open thread must be read again to make sense of it. */
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

/** The banner already says that the server is not there; other failures are told. */
function ignoreUnreachable(store: ConsoleStore): (error: { isTemporary: boolean; detail: string }) => void {
  return ({ isTemporary, detail }) => {
    if (isTemporary) store.set({ connection: "lost" });
    else store.set({ notice: detail });
  };
}

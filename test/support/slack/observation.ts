import type { Backend } from "./api/method.ts";
import type { Delivery } from "./world/deliveries.ts";
import type { MessageRecord } from "./world/message-record.ts";
import type {
  CallRecord,
  EphemeralRecord,
  SessionRecord,
  StatusRecord,
  ViewRecord,
  World,
} from "./world/world.ts";

interface ObservedFile {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  bytes: number;
  user: string;
  channels: string[];
  state: string;
}

/** All that tests may look at, at one moment. */
export interface Snapshot {
  version: number;
  messages: MessageRecord[];
  ephemerals: EphemeralRecord[];
  views: ViewRecord[];
  files: ObservedFile[];
  calls: CallRecord[];
  deliveries: Delivery[];
  statuses: StatusRecord[];
  sessions: SessionRecord[];
  titles: World["titles"];
  prompts: World["prompts"];
  /** Open Socket Mode connections. */
  connections: number;
}

export function snapshotOf({ world, deliveries }: Backend): Snapshot {
  return {
    version: world.version,
    messages: world.messages,
    ephemerals: world.ephemerals,
    views: [...world.views.values()],
    files: [...world.files.values()].map(({ content, created: _, team_id: __, ...file }) => ({
      ...file,
      bytes: content.byteLength,
    })),
    calls: world.calls,
    deliveries: deliveries.all,
    statuses: world.statuses,
    sessions: world.sessions,
    titles: world.titles,
    prompts: world.prompts,
    connections: deliveries.hub.connections,
  };
}

/** What grows with the work, of one thread. */
export function partOf({ messages, statuses, sessions }: Snapshot, thread: string): Partial<Snapshot> {
  return {
    messages: messages.filter(({ ts, thread_ts }) => ts === thread || thread_ts === thread),
    statuses: statuses.filter(({ thread_ts }) => thread_ts === thread),
    sessions: sessions.filter(({ thread_ts }) => thread_ts === thread),
  };
}

/** Questions to a snapshot. */
export class Observation {
  readonly all: Snapshot;

  constructor(all: Snapshot) {
    this.all = all;
  }

  /** Messages that are there now, oldest first; with `threadTs` the parent and its replies. */
  messages(channel: string, threadTs?: string): MessageRecord[] {
    return this.all.messages.filter(
      (message) =>
        message.channel === channel &&
        !message.gone &&
        (threadTs === undefined || message.ts === threadTs || message.thread_ts === threadTs),
    );
  }

  /** Messages that the app wrote. */
  botMessages(channel: string, threadTs?: string): MessageRecord[] {
    return this.messages(channel, threadTs).filter((message) => message.bot_id !== undefined);
  }

  /** Messages that only this person sees now. */
  ephemerals(user: string): EphemeralRecord[] {
    return this.all.ephemerals.filter((message) => message.user === user && message.shown);
  }

  /** The person's home tab; undefined if none was published. */
  home(user: string): ViewRecord | undefined {
    return this.all.views.find((view) => view.type === "home" && view.user === user);
  }

  /** The modals that are open, the topmost last. */
  modals(user: string): ViewRecord[] {
    return this.all.views.filter((view) => view.type === "modal" && view.user === user && view.open);
  }

  calls(method?: string): CallRecord[] {
    return this.all.calls.filter((call) => method === undefined || call.method === method);
  }

  /** Deliveries by name, such as `app_mention`, `message.message_changed`, `block_actions`, `/knack`. */
  deliveries(name?: string): Delivery[] {
    return this.all.deliveries.filter((delivery) => name === undefined || delivery.name === name);
  }

  /** Every status shown in a thread, the current one last; empty text where it was taken away. */
  statuses(channel: string, threadTs: string): string[] {
    return this.all.statuses
      .filter((each) => each.channel === channel && each.thread_ts === threadTs)
      .map((each) => each.status);
  }

  /** Every status of the agent session of a thread, the current one last. */
  session(channel: string, threadTs: string): string[] {
    const found = this.all.sessions.find((each) => each.channel === channel && each.thread_ts === threadTs);
    return found?.statuses ?? [];
  }

  /** Replies of the app that were not `ok`. */
  refusals(): CallRecord[] {
    return this.all.calls.filter((call) => !call.ok);
  }
}

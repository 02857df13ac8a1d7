import type { ChatActions, ThreadMessage } from "../../../src/core/ports/chat-actions.ts";
import {
  type AnswerStream,
  type ChatPerson,
  type ChatPlatform,
  type Decider,
  type MessageTag,
  type OutgoingButton,
  type OutgoingMessage,
  PlatformError,
  type ReplyTarget,
  writeButtonId,
} from "../../../src/core/ports/chat-platform.ts";
import type { FileReference } from "../../../src/core/values/inbound.ts";
import type { Place } from "../../../src/core/values/place.ts";

/** A platform has no actions: it only keeps a button's id from `writeButtonId`. */
type ShownContent = Omit<OutgoingMessage, "buttons"> & {
  buttons?: readonly (Omit<OutgoingButton, "action"> & { id: string })[];
};

function shownContent({ buttons, ...message }: OutgoingMessage): ShownContent {
  const written = buttons?.map(({ action, ...button }) => ({ id: writeButtonId(action), ...button }));
  return { ...message, ...(written === undefined ? {} : { buttons: written }) };
}

/** A message of the bot as the fake platform has it now. */
export interface ShownMessage {
  reference: string;
  place: Place;
  message: ShownContent;
  to?: ReplyTarget | undefined;
  /** Whether only one person sees it. */
  only_for?: string | undefined;
  edits: number;
  removed: boolean;
  streamed: boolean;
}

type Call =
  | "post"
  | "edit"
  | "remove"
  | "whisper"
  | "openStream"
  | "append"
  | "finish"
  | "cancel"
  | "readThread"
  | "download"
  | "person"
  | "find"
  | "direct";

export interface FakePlatform extends ChatPlatform {
  readonly shown: ShownMessage[];
  /** The visible messages, oldest first. */
  visible(): ShownMessage[];
  /** People by id; others are members without further rights. */
  readonly people: Map<string, Partial<ChatPerson>>;
  /** The people who may decide for a manager or an operator. */
  readonly deciding: Record<"manager" | "operator", Decider[]>;
  /** Results of `readThread`, by thread. */
  readonly threads: Map<string, ThreadMessage[]>;
  /** Contents of files, by id. */
  readonly files: Map<string, Uint8Array>;
  /** Messages marked as seen. */
  readonly seen: Set<string>;
  readonly working: (string | undefined)[];
  readonly calls: { call: Call; at: number }[];
  /** The next calls of this kind reject with this error; the message is posted all the same when `after` is set. */
  fail(call: Call, error: PlatformError | Error, options?: { times?: number; after?: boolean }): void;
  /** Resolves with the first answer of `look` that is not undefined, now or after a later call. */
  until<T>(look: () => T | undefined): Promise<T>;
}

export interface FakePlatformOptions {
  id?: string;
  streams?: boolean;
  message_characters?: number;
  edit_interval_ms?: number;
  posts_quietly?: boolean;
  /** Whether the bot can open direct messages with people. */
  directs?: boolean;
  now?: () => number;
}

/** A chat platform in memory that fulfils the port's contract, and fails on request. */
export function createFakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const { id = "fake", streams = false, now = Date.now } = options;
  const shown: ShownMessage[] = [];
  const failures: { call: Call; error: Error; times: number; after: boolean }[] = [];
  const waiting = new Set<() => void>();
  const calls: FakePlatform["calls"] = [];
  let count = 0;

  const changed = () => {
    for (const wake of [...waiting]) wake();
  };
  const doing = async <T>(call: Call, work: () => T): Promise<T> => {
    calls.push({ call, at: now() });
    const failure = failures.find((each) => each.call === call && each.times > 0);
    if (failure !== undefined) {
      failure.times -= 1;
      if (failure.after) work();
      queueMicrotask(changed);
      throw failure.error;
    }
    const result = work();
    queueMicrotask(changed);
    return result;
  };
  const add = (place: Place, message: OutgoingMessage, more: Partial<ShownMessage> = {}): string => {
    count += 1;
    const reference = `m${count}`;
    shown.push({
      reference,
      place,
      message: shownContent(message),
      edits: 0,
      removed: false,
      streamed: false,
      ...more,
    });
    return reference;
  };
  const the = (reference: string): ShownMessage => {
    const found = shown.find((each) => each.reference === reference);
    if (found === undefined) throw new Error(`There is no message ${reference}`);
    return found;
  };

  const actions: ChatActions = {
    channels: async () => [],
    access: async () => undefined,
    link: async () => "",
    history: async () => ({ messages: [], more: false }),
    message: async () => undefined,
    direct: (_namespace, person) =>
      doing("direct", () => ({ namespace: `${id}:team:dm-${person}`, thread: "dm" })),
    posts: false,
  };

  const platform: FakePlatform = {
    id,
    limits: {
      message_characters: options.message_characters ?? 2_000,
      edit_interval_ms: options.edit_interval_ms ?? 1,
      file_bytes: 1_000_000,
      ...(options.posts_quietly ? { posts_quietly: true } : {}),
    },
    writing: {
      name: "Fake",
      formatting: "Markdown is shown as it is written.",
      mentions: "Nobody is called.",
    },
    shown,
    visible: () => shown.filter((each) => !each.removed),
    people: new Map(),
    deciding: { manager: [], operator: [] },
    deciders: async (_place, approver) => platform.deciding[approver],
    ...(options.directs ? { actions } : {}),
    threads: new Map(),
    files: new Map(),
    seen: new Set(),
    working: [],
    calls,
    fail(call, error, { times = 1, after = false } = {}) {
      failures.push({ call, error, times, after });
    },
    until: (look) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = look();
          if (found === undefined) return;
          waiting.delete(check);
          clearTimeout(timer);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`It did not come. Shown: ${JSON.stringify(shown.map(summary))}`));
        }, 8_000);
        waiting.add(check);
        check();
      }),
    post: (place, message, to) => doing("post", () => add(place, message, { to })),
    edit: (_place, reference, message) =>
      doing("edit", () => {
        const target = the(reference);
        if (target.removed) throw new PlatformError("gone", "The message was deleted.");
        target.message = shownContent(message);
        target.edits += 1;
      }),
    remove: (_place, reference) =>
      doing("remove", () => {
        the(reference).removed = true;
      }),
    whisper: (place, person, message, to) =>
      doing("whisper", () => void add(place, message, { to, only_for: person })),
    find: (place, tag) => doing("find", () => findTagged(shown, place, tag)),
    showWorking: async (_place, note) => {
      platform.working.push(note);
      changed();
    },
    markSeen: async (_place, message, seen) => {
      if (seen) platform.seen.add(message);
      else platform.seen.delete(message);
      changed();
    },
    person: (_place, personId) =>
      doing("person", () => ({
        id: personId,
        name: personId,
        trust: "member",
        standing: "member",
        roles: [],
        ...platform.people.get(personId),
      })),
    readThread: (place, limit) =>
      doing("readThread", () => (platform.threads.get(place.thread) ?? []).slice(-limit)),
    download: (_place: Place, file: FileReference) =>
      doing("download", () => platform.files.get(file.id) ?? new Uint8Array()),
    describe: async () => ({ name: "general", topic: "Everything" }),
    ...(streams
      ? { openStream: (place, tag, to, start) => doing("openStream", () => stream(place, tag, to, start)) }
      : {}),
  };

  const stream = (
    place: Place,
    tag: MessageTag,
    to: ReplyTarget,
    start: Pick<OutgoingMessage, "markdown" | "progress" | "buttons">,
  ): AnswerStream => {
    const reference = add(place, { tag, ...start }, { to, streamed: true });
    return {
      reference,
      append: (markdown) =>
        doing("append", () => {
          const target = the(reference);
          target.message = { ...target.message, markdown: target.message.markdown + markdown };
        }),
      progress: (progress) =>
        doing("append", () => {
          const target = the(reference);
          target.message = { ...target.message, progress };
        }),
      finish: (message) =>
        doing("finish", () => {
          the(reference).message = shownContent(message);
        }),
      cancel: () =>
        doing("cancel", () => {
          the(reference).removed = true;
        }),
    };
  };
  return platform;
}

function summary({ message, only_for, removed }: ShownMessage): string {
  return `${removed ? "removed " : ""}${only_for === undefined ? "" : `(${only_for}) `}${message.tag?.purpose ?? "notice"}: ${message.markdown}`;
}

function findTagged(shown: readonly ShownMessage[], place: Place, tag: MessageTag): string | undefined {
  return shown.findLast(
    ({ message, place: where, removed }) =>
      !removed &&
      where.namespace === place.namespace &&
      where.thread === place.thread &&
      message.tag?.turn_id === tag.turn_id &&
      message.tag.purpose === tag.purpose &&
      message.tag.part === tag.part,
  )?.reference;
}

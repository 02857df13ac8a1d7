import type { ChatCommand } from "../../../app/chat/chat-intake.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";
import { commandSchema } from "../../../core/values/inbound.ts";
import type { Json } from "../../../core/values/json.ts";

/** ms that an interaction's token is good for, less a little. Source: Discord reference, "Interactions". */
export const tokenLifetime = 14.5 * 60_000;

/** A command and what it takes to answer it where it was given. */
interface KeptCommand {
  command: ChatCommand;
  token: string;
  application: string;
  channel: string;
  placeholder: "public" | "private" | "none";
  /** Names the message that takes the place of "thinking…", once it is on its way; empty before. */
  filling: string;
}

/**
 * Commands whose tokens are still good, stored so that "thinking…" does not outlive the process that said it. Bounded: the
 * latest 200. The store must be one that keeps secrets.
 */
export interface KeptCommands {
  /** Adds the command, or changes what is known of it. @throws when the store fails */
  keep(kept: KeptCommand): Promise<void>;
  /** @throws when the store fails */
  forget(id: string): Promise<void>;
  /** Forgets all, also what cannot be read. @throws when the store fails */
  clear(): Promise<void>;
  /** Oldest first. @throws when the store fails */
  all(): Promise<KeptCommand[]>;
}

/** As stored: texts by name, times in ms since the epoch. */
type Entry = { [name: string]: Json };

const key = "commands";
const most = 200;

export function createKeptCommands(sealed: KeyValue, clock: Clock): KeptCommands {
  const good = (entries: Entry[] = []) =>
    entries.filter(({ said_at }) => Number(said_at) + tokenLifetime > clock.now());
  return {
    async keep(kept) {
      const entry = entryOf(kept);
      await sealed.update<Entry[]>(key, (entries) =>
        [...good(entries).filter(({ id }) => id !== entry.id), entry].slice(-most),
      );
    },
    async forget(gone) {
      await sealed.update<Entry[]>(key, (entries) => good(entries).filter(({ id }) => id !== gone));
    },
    clear: () => sealed.delete(key),
    async all() {
      return good((await sealed.get(key)) as Entry[] | undefined).map(keptOf);
    },
  };
}

function entryOf({ command: { place, command, ...given }, ...kept }: KeptCommand) {
  const { namespace, thread } = place;
  const read = command === undefined ? {} : { command: command as Json };
  return { ...kept, ...given, ...read, namespace, thread };
}

function keptOf(entry: Entry): KeptCommand {
  const text = (name: string) => String(entry[name] ?? "");
  const placeholder = text("placeholder");
  return {
    command: {
      key: text("key"),
      place: { namespace: text("namespace"), thread: text("thread") },
      id: text("id"),
      author: text("author"),
      text: text("text"),
      command: commandSchema.safeParse(entry.command).data,
      said_at: Number(entry.said_at),
    },
    token: text("token"),
    application: text("application"),
    channel: text("channel"),
    placeholder: placeholder === "public" || placeholder === "private" ? placeholder : "none",
    filling: text("filling"),
  };
}

import { Buffer } from "node:buffer";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { madeOnce } from "../../base/made-once.ts";
import { closedError, toPostgresError } from "./postgres-error.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** Gets a message; undefined if messages may have been missed. */
export type Heard = (message: string | undefined) => void;

interface Listener {
  listen(channel: string, heard: Heard): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Maximum bytes of a message, https://www.postgresql.org/docs/current/sql-notify.html. */
const maxMessageBytes = 7_999;
/** Maximum bytes of a name; PostgreSQL cuts longer ones. */
const maxNameBytes = 63;
/** Maximum pause between attempts to connect again, ms. */
const maxPauseMs = 5_000;

/**
 * The name of a channel in the database, which all schemas share; for SQL that calls `pg_notify` itself.
 * @throws RangeError if schema and channel together are longer than 62 bytes
 */
export function channelName(schema: string, channel: string): string {
  const name = `${schema}.${channel}`;
  if (Buffer.byteLength(name) > maxNameBytes) throw new RangeError(`The channel name ${name} is too long`);
  return name;
}

/** The statement that sends a message. @throws RangeError if it is too long */
export function notify(
  schema: string,
  channel: string,
  message: string,
): { sql: string; values: readonly string[] } {
  const bytes = Buffer.byteLength(message);
  if (bytes > maxMessageBytes)
    throw new RangeError(`A message to ${channel} has ${bytes} bytes, at most ${maxMessageBytes} are sent`);
  return { sql: "SELECT pg_notify($1, $2)", values: [channelName(schema, channel), message] };
}

/** Listens on one connection of its own, which is made when it is first needed, and made again whenever it is lost. */
export function createListener(server: PostgresServer): Listener {
  const { place, schema } = server;
  const channels = new Map<string, Set<Heard>>();
  const ending = new AbortController();
  let current: Promise<Client> | undefined;

  const connect = async (): Promise<Client> => {
    const client = await server.connect();
    if (ending.signal.aborted) {
      await client.end();
      throw closedError(place);
    }
    return client;
  };
  const watched = (client: Client): Client => {
    client.on("notification", ({ channel, payload }) => {
      for (const heard of channels.get(channel) ?? []) heard(payload ?? "");
    });
    client.once("end", () => {
      if (ending.signal.aborted) return;
      current = reconnect();
      // Whoever needs it awaits it; closing ends it.
      current.catch(() => {});
    });
    return client;
  };
  const reconnect = async (): Promise<Client> => {
    const client = await listeningAgain();
    // Before any message: what came until now counts as missed.
    for (const each of channels.values()) for (const heard of each) heard(undefined);
    return watched(client);
  };
  const listeningAgain = async (): Promise<Client> => {
    for (let pauseMs = 50; !ending.signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      let client: Client | undefined;
      try {
        client = await connect();
        for (const channel of channels.keys())
          await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
        return client;
      } catch {
        // Other calls report why the database cannot be reached.
        await client?.end();
        await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => {});
      }
    }
    throw closedError(place);
  };
  const connected = (): Promise<Client> => {
    if (ending.signal.aborted) throw closedError(place);
    current ??= connect().then(watched);
    const made = current;
    made.catch(() => {
      if (current === made) current = undefined;
    });
    return made;
  };
  // The driver wants one statement at a time on a connection.
  const inOrder = new KeyedMutex();
  const run = (command: "LISTEN" | "UNLISTEN", channel: string) =>
    inOrder.run("", async () => {
      const client = await connected();
      await client.query(`${command} ${client.escapeIdentifier(channel)}`);
    });

  return {
    async listen(channel, heard) {
      const name = channelName(schema, channel);
      // A function of its own for each call: the same one may be passed twice.
      const own: Heard = (message) => heard(message);
      const all = madeOnce(channels, name, () => new Set<Heard>());
      all.add(own);
      const forget = () => {
        all.delete(own);
        if (all.size === 0 && channels.get(name) === all) channels.delete(name);
      };
      try {
        await run("LISTEN", name);
      } catch (error) {
        forget();
        throw toPostgresError(error, place);
      }
      return async () => {
        forget();
        // A connection that is lost listens to nothing; a new one asks for the channels that are left.
        if (!channels.has(name) && !ending.signal.aborted) await run("UNLISTEN", name).catch(() => {});
      };
    },
    async close() {
      ending.abort();
      const client = await current?.catch(() => undefined);
      await client?.end();
    },
  };
}

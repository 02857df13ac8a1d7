import type { Client } from "discord.js";

/** As much of the library's inside as is needed; absent in a version that is built otherwise. */
interface Inside {
  _ws?: { strategy?: { shards?: ReadonlyMap<number, Shard> } };
}
interface Shard {
  once(event: "hello", listener: () => void): unknown;
  destroy(options: { code: number }): Promise<void>;
}

/**
 * Ends a client and every connection of it. A shard that pauses before it connects again (500 ms after a break) does not hear that
 * its client was destroyed, and would connect all the same (@discordjs/ws 1.2.3, `WebSocketShard.destroy`): it is closed as soon as
 * it does. Whatever the client still emits must not be listened to.
 */
export async function destroyClient(client: Client, failed: (error: unknown) => void): Promise<void> {
  const inside = client.ws as unknown as Inside;
  const shards = [...(inside._ws?.strategy?.shards?.values() ?? [])];
  await client.destroy();
  for (const shard of shards) {
    shard.once("hello", () => {
      shard.destroy({ code: 1_000 }).catch(failed);
    });
  }
}

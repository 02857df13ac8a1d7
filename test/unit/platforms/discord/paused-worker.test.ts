import { expect, it } from "vitest";
import { whileHeld } from "../../../../src/app/chat/present/while-held.ts";
import { LeaseLostError } from "../../../../src/core/log/turn-log.ts";
import type { KeyValue } from "../../../../src/core/ports/storage.ts";
import type { LiveInteractions } from "../../../../src/platforms/discord/outgoing/live-interactions.ts";
import { DiscordMessages } from "../../../../src/platforms/discord/outgoing/post-message.ts";
import { SentMessages } from "../../../../src/platforms/discord/outgoing/sent-messages.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { room, useChatRigs } from "../../../support/discord/chat-rig.ts";
import { ids } from "../../../support/discord/example-world.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";

const rig = useChatRigs();

it("a worker that stood still between looking and posting posts nothing after another has taken over and posted", async () => {
  const { deps, discord } = await rig();
  const store = createMemoryKeyValue();
  const place = { namespace: room(ids.general), thread: "channel" };
  const live = { has: async () => false } as unknown as LiveInteractions;
  const message = { tag: { turn_id: "t1", purpose: "answer", part: 0 } as const, markdown: "Done." };
  const worker = (own: KeyValue, isHeld: () => boolean) => {
    const messages = new DiscordMessages(deps, new SentMessages(own, deps.clock), live);
    const platform = createFakePlatform();
    platform.post = (...given) => messages.post(...given);
    return whileHeld(platform, "t1", isHeld);
  };
  let isHeld = true;
  const second = worker(store, () => true);
  const paused: KeyValue = {
    ...store,
    // The first worker stands still here, for as long as the second one needs.
    async update(...given) {
      await second.post(place, message);
      isHeld = false;
      return store.update(...given);
    },
  };
  await expect(worker(paused, () => isHeld).post(place, message)).rejects.toThrow(LeaseLostError);
  expect((await discord.state()).messages).toHaveLength(1);
});

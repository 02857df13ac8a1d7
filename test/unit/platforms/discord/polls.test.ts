import { expect, it } from "vitest";
import type { OutgoingPoll } from "../../../../src/core/ports/chat-actions.ts";
import type { LiveInteractions } from "../../../../src/platforms/discord/outgoing/live-interactions.ts";
import { DiscordMessages } from "../../../../src/platforms/discord/outgoing/post-message.ts";
import { SentMessages } from "../../../../src/platforms/discord/outgoing/sent-messages.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { exampleGuild, room, useChatRigs } from "../../../support/discord/chat-rig.ts";
import { ids } from "../../../support/discord/example-world.ts";

const rig = useChatRigs();
const place = { namespace: room(ids.general), thread: "channel" };
const lunch: OutgoingPoll = {
  question: "What for *lunch*?",
  answers: ["Pizza", "Soup"],
  hours: 2,
  several: true,
};
const tag = { turn_id: "t1", purpose: "sent", part: 0 } as const;

/** Posts polls to the fake Discord. */
async function posting(...options: Parameters<typeof rig>) {
  const { deps, discord, actions } = await rig(...options);
  const store = createMemoryKeyValue();
  const live = { has: async () => false } as unknown as LiveInteractions;
  const messages = new DiscordMessages(deps, new SentMessages(store, deps.clock), live);
  const post = (poll: OutgoingPoll, markdown = "*Sent for Ann*") =>
    messages.post(place, { tag, markdown, poll });
  return { discord, actions, post, find: () => messages.find(place, tag) };
}

it("a poll is a message of its own, which the bot reads with its answers", async () => {
  const { discord, actions, post, find } = await posting();
  const reference = await post(lunch);
  const [message] = (await discord.state()).messages;
  expect(message).toMatchObject({
    content: "*Sent for Ann*",
    components: [],
    parts: {
      poll: {
        question: { text: "What for *lunch*?" },
        answers: [{ poll_media: { text: "Pizza" } }, { poll_media: { text: "Soup" } }],
        allow_multiselect: true,
      },
    },
  });
  expect(await actions.message(place.namespace, reference)).toMatchObject({
    text: expect.stringMatching(/Poll: What for \*lunch\*\?\n- Pizza\n- Soup/),
  });
  expect(await find()).toBe(reference);
});

it("a poll needs no text beside it", async () => {
  const { discord, post } = await posting();
  await post(lunch, "");
  expect((await discord.state()).messages).toMatchObject([{ content: "" }]);
});

it("a poll that Discord refuses says why", async () => {
  const { post } = await posting();
  await expect(post({ ...lunch, answers: ["x".repeat(56)] })).rejects.toThrow("Discord refused");
  const without = await posting(
    exampleGuild(() => ({ everyone: ["ViewChannel", "SendMessages", "ReadMessageHistory"], botRoles: [] })),
  );
  await expect(without.post(lunch)).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringContaining("Create Polls"),
  });
});

import { expect, it } from "vitest";
import type { LiveInteractions } from "../../../../src/platforms/discord/outgoing/live-interactions.ts";
import { DiscordMessages } from "../../../../src/platforms/discord/outgoing/post-message.ts";
import { SentMessages } from "../../../../src/platforms/discord/outgoing/sent-messages.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { room, useChatRigs } from "../../../support/discord/chat-rig.ts";
import { ids } from "../../../support/discord/example-world.ts";

const rig = useChatRigs();

/** A command whose answer is waited for. */
function waitingCommand() {
  const dismissed: string[] = [];
  const live: Pick<LiveInteractions, "answer" | "has" | "dismiss"> = {
    answer: async () => "filled in",
    has: async () => true,
    dismiss: async (id) => void dismissed.push(id),
  };
  return { live: live as LiveInteractions, dismissed };
}

it("a command's placeholder is filled in, but a text that calls others is posted, since an edit notifies nobody", async () => {
  const { deps, discord } = await rig();
  const { live, dismissed } = waitingCommand();
  const messages = new DiscordMessages(deps, new SentMessages(createMemoryKeyValue(), deps.clock), live);
  const place = { namespace: room(ids.general), thread: ids.general };
  const answer = (markdown: string) =>
    messages.post(place, { markdown, calls: [ids.adam, ids.mia] }, { message: "c1", person: ids.adam });
  expect(await answer(`Done, <@${ids.adam}>.`)).toBe("filled in");
  expect(dismissed).toEqual([]);
  const reference = await answer(`<@${ids.mia}>, please look.`);
  const [message] = (await discord.state()).messages;
  expect(reference).toBe(`${ids.general}:${message?.id}`);
  expect(message?.notified).toEqual([ids.mia]);
  expect(dismissed).toEqual(["c1"]);
});

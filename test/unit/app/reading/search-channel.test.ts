import { describe, expect, it } from "vitest";
import { createSearch } from "../../../../src/app/reading/search-channel.ts";
import type { ChannelMessage } from "../../../../src/core/ports/chat-actions.ts";
import { createFakeChat } from "../../../support/fakes/fake-chat-actions.ts";

const namespace = "fake:team:general";
const message: ChannelMessage & { namespace: string } = {
  ...{ namespace, id: "m1", text: "red lamps", at: 1, files: [], link: "https://example.com/m1" },
  author: { id: "ada", name: "Ada", bot: false, self: false },
};
const query = { words: ["lamps"], most: 5 };
const noIndex = { search: async () => [], extent: async () => ({ messages: 0 }) };

function searchWith(search: () => Promise<ChannelMessage[] | undefined>) {
  const chat = createFakeChat();
  chat.rooms.push({ namespace, name: "general", members: ["ada"] });
  chat.messages.push(message);
  const actionsOf = () => ({ ...chat, search });
  return createSearch(actionsOf, noIndex, async () => false);
}

describe("a search of a channel", () => {
  it("a channel search is the platform's own where it has one", async () => {
    const found = await searchWith(async () => [])(namespace, query);
    expect(found).toEqual({ messages: [], by: "platform", complete: true });
  });

  it("a channel search looks through the history where the platform cannot search the channel now", async () => {
    const found = await searchWith(async () => undefined)(namespace, query);
    expect(found).toMatchObject({ messages: [{ id: "m1" }], by: "history", complete: true });
  });
});

import { describe, expect, test } from "vitest";
import { ids } from "../support/discord/example-world.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { discordBot, fakeDiscord, said } from "./support/discord-bot.ts";

const mention = `<@${ids.bot}>`;

describe("in a channel", () => {
  test("a mention is answered in a thread that is named after it, and marked as seen until then", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["Hello **Adam**."]));

    const id = await discord.say({ user: ids.adam, channel: ids.general, content: `${mention} say hello` });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.content).toBe("Hello **Adam**.");
    expect(await discord.threads(ids.general)).toMatchObject([{ id, name: "say hello", owner: ids.bot }]);
    await discord.until(({ messages }) =>
      messages.find((each) => each.id === id && !each.reactions["👀"]?.length),
    );
    const reactions = await discord.calls("PUT /channels/:channel/messages/:message/reactions/:emoji/@me");
    expect(reactions).toHaveLength(1);
  });
});

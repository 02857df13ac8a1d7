import { describe, expect, test } from "vitest";
import { updateNamespace } from "../../../src/core/skill/namespace-state.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { exampleWorld, ids } from "../../support/discord/example-world.ts";
import { impatientClock, offeringModel } from "../../support/models/offering-model.ts";
import { buttons, discordBot, fakeDiscord, said } from "../support/discord-bot.ts";

const { general } = ids;

async function ambientBot(discord: DiscordServer) {
  const store = createMemoryKeyValue();
  await updateNamespace(store, `discord:${ids.guild}:${general}`, ({ settings }) => {
    settings.reply = "ambient";
  });
  return discordBot(discord, offeringModel(), { store, clock: impatientClock });
}

describe("offers to answer", () => {
  test("an offer is a direct message to its asker, and the answer is where the question was", async () => {
    const discord = await fakeDiscord();
    await ambientBot(discord);

    const id = await discord.say({ user: ids.adam, channel: general, content: "How do I undo a commit?" });
    const dm = await discord.openDm(ids.adam);
    const [offer] = await discord.until((state) => said(state, dm));
    expect(offer?.content).toContain(`<#${general}>`);
    const accept = offer && buttons(offer).find(({ label }) => label === "Yes, answer it");
    await discord.click({ user: ids.adam, message: offer?.id ?? "", customId: accept?.custom_id ?? "" });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.content).toContain("Done.");
    const [closed] = await discord.until((state) => said(state, dm)?.filter(({ edits }) => edits > 0));
    expect(closed).toMatchObject({ content: "I am answering it.", components: [] });
    expect(said(await discord.state(), general)).toBeUndefined();
  });

  test("nothing is shown of an offer that cannot be delivered", async () => {
    const users = exampleWorld().users.map((user) => ({ ...user, closedDms: true }));
    const discord = await fakeDiscord({ users });
    await ambientBot(discord);

    await discord.say({ user: ids.adam, channel: general, content: "How do I undo a commit?" });
    await expect.poll(() => discord.calls("POST /users/@me/channels")).toHaveLength(1);
    const id = await discord.say({ user: ids.mia, channel: general, content: `<@${ids.bot}> hello` });
    await discord.until((state) => said(state, id));

    const { messages } = await discord.state();
    expect(messages.filter(({ author, channel }) => author === ids.bot && channel !== id)).toEqual([]);
  });
});

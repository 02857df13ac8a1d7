import {
  type APIModalInteractionResponseCallbackData,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  ComponentType,
  Events,
  type Message,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
} from "discord.js";
import { describe, expect, it } from "vitest";
import { ids } from "../../support/discord/example-world.ts";
import { next, refusal, useDiscord } from "../../support/discord/use-discord.ts";

const { both } = useDiscord();

const command = (client: Client) => next<ChatInputCommandInteraction>(client, Events.InteractionCreate);

const skill = {
  name: "skill",
  description: "Manage skills",
  options: [
    {
      type: 1,
      name: "enable",
      description: "Switch a skill on",
      options: [{ type: 3, name: "name", description: "Which", required: true, autocomplete: true }],
    },
  ],
};
const ask = { name: "ask", description: "Ask something" };
const explain = { name: "Explain this", type: 3 };

async function withCommands(options: Parameters<typeof both>[0] = {}) {
  const all = await both(options);
  await all.client.application.commands.set([skill, ask, explain]);
  return all;
}

/** A person uses /ask; the interaction as the client has it, and how the person sees it answered. */
async function asked({ discord, client }: Awaited<ReturnType<typeof both>>) {
  const arrives = command(client);
  const handle = await discord.command({ user: ids.adam, channel: ids.general, name: "ask" });
  return { handle, interaction: await arrives };
}

const modal = (inputs: object[]): APIModalInteractionResponseCallbackData => ({
  title: "Details",
  custom_id: "details",
  components: inputs.map((input) => ({ type: 1, components: [{ type: 4, style: 1, ...input }] })) as never,
});

describe("commands", () => {
  it("commands are registered as a whole, and refused with a field that does not exist or a name in capitals", async () => {
    const { discord, client } = await withCommands();
    expect((await discord.commands()).global.map(({ name }) => name)).toEqual([
      "skill",
      "ask",
      "Explain this",
    ]);
    const put = (body: object[]) => refusal(client.rest.put(`/applications/${ids.bot}/commands`, { body }));
    expect(await put([{ name: "Ask", description: "x" }])).toBe(50035);
    expect(await put([{ name: "ask", description: "x", descripton_localizations: {} }])).toBe(50035);
    expect(await put([{ name: "ask", description: "x".repeat(101) }])).toBe(50035);
    const optional = { type: 3, name: "a", description: "a" };
    const required = { type: 3, name: "b", description: "b", required: true };
    expect(await put([{ ...ask, options: [optional, required] }])).toBe(50035);
    expect((await discord.commands()).puts).toBe(1);
  });

  it("commands reach the bot with subcommand and options, and unregistered ones cannot be used", async () => {
    const { discord, client } = await withCommands();
    const arrives = command(client);
    const use = { user: ids.adam, channel: ids.general, name: "skill", subcommand: "enable" };
    const handle = await discord.command({ ...use, options: { name: "search" } });
    const interaction = await arrives;
    expect([interaction.options.getSubcommand(), interaction.options.getString("name")]).toEqual([
      "enable",
      "search",
    ]);
    await interaction.reply({ content: "Only you see this.", flags: 64 });
    expect(await handle.callback()).toMatchObject({ type: 4, ephemeral: true });
    expect(await discord.messages(ids.general)).toEqual([]);
    await expect(discord.command({ ...use, name: "absent" })).rejects.toThrow("not registered");
    await expect(discord.command(use)).rejects.toThrow("needs name");
    const alone = { user: ids.adam, channel: ids.general, name: "skill" };
    await expect(discord.command(alone)).rejects.toThrow("cannot be used alone");
    const given = (options: Record<string, string | number | boolean>) =>
      discord.command({ ...use, options });
    await expect(given({ name: 3 })).rejects.toThrow("takes a string");
    await expect(given({ name: "search", more: "words" })).rejects.toThrow("no option more");
  });

  it("commands complete what a person types, with at most 25 choices", async () => {
    const { discord, client } = await withCommands();
    const type = {
      user: ids.adam,
      channel: ids.general,
      name: "skill",
      subcommand: "enable",
      focused: "name",
    };
    const first = next<AutocompleteInteraction>(client, Events.InteractionCreate);
    const handle = await discord.autocomplete({ ...type, options: { name: "sea" } });
    const typed = await first;
    expect(typed.options.getFocused()).toBe("sea");
    const choices = Array.from({ length: 26 }, (_, index) => ({ name: `${index}`, value: `${index}` }));
    expect(
      await refusal(
        client.rest.post(`/interactions/${typed.id}/${typed.token}/callback`, {
          auth: false,
          body: { type: 8, data: { choices } },
        }),
      ),
    ).toBe(50035);
    await typed.respond([{ name: "Search", value: "search" }]);
    expect((await handle.now()).choices).toEqual([{ name: "Search", value: "search" }]);
  });

  it("commands on a message bring its content", async () => {
    const { discord, client } = await withCommands();
    const message = await discord.say({ user: ids.mia, channel: ids.general, content: "E = mc²" });
    const arrives = next<MessageContextMenuCommandInteraction>(client, Events.InteractionCreate);
    await discord.contextMenu({ user: ids.adam, message, name: "Explain this" });
    expect((await arrives).targetMessage.content).toBe("E = mc²");
  });
});

describe("answers", () => {
  it("interaction answers can be deferred, filled in, followed up and deleted", async () => {
    const world = await withCommands();
    const { handle, interaction } = await asked(world);
    await interaction.deferReply();
    expect(await handle.now()).toMatchObject({ loading: true, callback: { type: 5 } });
    await interaction.editReply("Done.");
    expect(await handle.answer()).toMatchObject({ content: "Done.", edits: 0 });
    await interaction.followUp({
      content: "More.",
      files: [{ attachment: Buffer.from("x"), name: "x.txt" }],
    });
    await interaction.deleteReply();
    expect(await handle.now()).toMatchObject({ original: null, followups: [{ content: "More." }] });
  });

  it("interaction answers are refused the second time, late, and when the token has expired", async () => {
    const world = await withCommands({ callbackWindow: 60_000 });
    const { handle, interaction } = await asked(world);
    const respond = (type: number, data: object = { content: "x" }) =>
      refusal(
        world.client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
          auth: false,
          body: { type, data },
        }),
      );
    expect(await refusal(interaction.webhook.editMessage("@original", "early"))).toBe(10015);
    expect(await respond(7)).toBe(50035);
    expect(await respond(5)).toBe("not refused");
    expect(await respond(4)).toBe(40060);
    expect(await respond(9, modal([{ custom_id: "a", label: "A" }]))).toBe(40060);
    await handle.expire();
    expect(await refusal(interaction.webhook.editMessage("@original", "late"))).toBe(50027);
    const second = await asked(world);
    await second.handle.expire();
    expect(await refusal(second.interaction.reply("late"))).toBe(10062);
  });

  it("interaction answers after the window are refused automatically", async () => {
    const world = await withCommands({ callbackWindow: 0 });
    const { discord, client } = world;
    await discord.delay({ route: "POST /interactions/:id/:token/callback", milliseconds: 5 });
    const arrives = command(client);
    await discord.command({ user: ids.adam, channel: ids.general, name: "ask" });
    expect(await refusal((await arrives).reply("x"))).toBe(10062);
  });
});

describe("components and modals", () => {
  it("components can be used only while the message has them", async () => {
    const { discord, client, general } = await both();
    const button = { type: 2, style: 1, label: "Allow", custom_id: "allow" };
    const posted = await general.send({ content: "May I?", components: [{ type: 1, components: [button] }] });
    const click = { user: ids.adam, message: posted.id, customId: "allow" };
    const clicked = next<ButtonInteraction>(client, Events.InteractionCreate);
    await discord.click(click);
    const interaction = await clicked;
    expect((interaction.message as Message).id).toBe(posted.id);
    await interaction.update({ content: "Allowed.", components: [] });
    expect(await discord.messages(ids.general)).toMatchObject([
      { content: "Allowed.", components: [], edits: 1 },
    ]);
    await expect(discord.click(click)).rejects.toThrow("no component allow now");
  });

  it("components open a modal that only its opener can send, within its limits", async () => {
    const world = await withCommands();
    const { discord, client } = world;
    const { handle, interaction } = await asked(world);
    expect(await refusal(interaction.showModal(modal([{ custom_id: "a", label: "x".repeat(46) }])))).toBe(
      50035,
    );
    await interaction.showModal(modal([{ custom_id: "city", label: "City" }]));
    const fields = { city: "Bern" };
    await expect(discord.submitModal({ user: ids.mia, on: handle, fields })).rejects.toThrow("someone else");
    await expect(discord.submitModal({ user: ids.adam, on: handle, fields: {} })).rejects.toThrow(
      "filled in",
    );
    const submitted = next<ModalSubmitInteraction>(client, Events.InteractionCreate);
    const answer = await discord.submitModal({ user: ids.adam, on: handle, fields });
    const sent = await submitted;
    expect([sent.customId, sent.fields.getTextInputValue("city")]).toEqual(["details", "Bern"]);
    await sent.reply("Thanks.");
    expect((await answer.answer()).content).toBe("Thanks.");
  });

  it("components work with menus, and with labels in modals", async () => {
    const { discord, client, general } = await both();
    const options = [{ label: "Search", value: "search" }];
    const menu = { type: ComponentType.StringSelect, custom_id: "pick", options } as const;
    const posted = await general.send({
      components: [{ type: ComponentType.ActionRow, components: [menu] }],
    });
    const pick = { user: ids.adam, message: posted.id, customId: "pick" };
    await expect(discord.click({ ...pick, values: ["other"] })).rejects.toThrow("does not offer");
    const picked = next<StringSelectMenuInteraction>(client, Events.InteractionCreate);
    const handle = await discord.click({ ...pick, values: ["search"] });
    const interaction = await picked;
    expect(interaction.values).toEqual(["search"]);
    const label = {
      type: ComponentType.Label,
      label: "Why",
      component: { type: 4, style: 2, custom_id: "why" },
    };
    await interaction.showModal({ title: "Reason", custom_id: "reason", components: [label] } as never);
    const submitted = next<ModalSubmitInteraction>(client, Events.InteractionCreate);
    await discord.submitModal({ user: ids.adam, on: handle, fields: { why: "because" } });
    const sent = await submitted;
    expect(sent.fields.getTextInputValue("why")).toBe("because");
    if (!sent.isFromMessage()) throw new Error("The modal came from a message.");
    await sent.update({ content: "Noted.", components: [] });
    expect(await discord.messages(ids.general)).toMatchObject([{ id: posted.id, content: "Noted." }]);
  });
});

import { describe, expect, test } from "vitest";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { buttons, discordBot, fakeDiscord, said } from "../support/discord-bot.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;

const greeter = testSkill(
  "greeter",
  [
    {
      name: "greeter",
      run: (input) => {
        const { who, times } = input as { who: string; times: number };
        return Array.from({ length: times }, () => `Hello ${who}!`).join(" ");
      },
    },
  ],
  {
    parameters: [
      { name: "who", type: "string", description: "Whom to greet", required: true },
      { name: "times", type: "number", description: "How often", required: true },
    ],
  },
);

describe("slash commands", () => {
  test("slash commands are registered once, in groups, and again only when they change", async () => {
    const discord = await fakeDiscord();
    const store = createMemoryKeyValue();
    const first = await discordBot(discord, scriptedModel(["-"]), { store });
    const { global } = await discord.commands();
    expect(global.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["skill", "agent", "knack", "Ask Knack about this"]),
    );
    await first.stop();

    await discordBot(discord, scriptedModel(["-"]), { store });
    await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });
    await discord.until(({ messages }) => messages.find(({ author }) => author === ids.bot));
    expect((await discord.commands()).puts).toBe(1);
  });

  test("slash command listings are seen by their asker, and changes by everybody", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });

    const list = await discord.command({
      user: ids.mia,
      channel: general,
      name: "skill",
      subcommand: "list",
    });
    expect(await list.answer()).toMatchObject({ ephemeralFor: ids.mia });
    const enable = await discord.command({
      user: ids.mia,
      channel: general,
      name: "skill",
      subcommand: "enable",
      options: { skill: "greeter" },
    });
    const answer = await enable.answer();
    expect(answer).toMatchObject({ ephemeralFor: null });
    expect(answer.content).toContain("greeter");
    expect((await list.now()).callback?.latency).toBeLessThan(3_000);
  });

  test("a person who may not manage the channel is refused, and nobody else sees it", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });

    const enable = await discord.command({
      user: ids.adam,
      channel: general,
      name: "skill",
      subcommand: "enable",
      options: { skill: "greeter" },
    });

    const { followups } = await enable.until(({ followups, original }) =>
      Boolean(followups[0] ?? original?.content),
    );
    const shown = followups[0] ?? (await enable.now()).original;
    expect(shown?.content).toMatch(/manage|allowed|may/i);
    expect(said(await discord.state(), general)).toBeUndefined();
  });

  test("skills are completed while they are typed", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });

    const typing = await discord.autocomplete({
      user: ids.adam,
      channel: general,
      name: "skill",
      subcommand: "enable",
      options: { skill: "gre" },
      focused: "skill",
    });

    const { choices } = await typing.until((interaction) => interaction.choices !== null);
    expect(choices).toEqual([{ name: expect.stringContaining("greeter"), value: "greeter" }]);
    const any = await discord.autocomplete({
      user: ids.adam,
      channel: general,
      name: "knack",
      options: { command: "skill inf" },
      focused: "command",
    });
    const completed = await any.until((interaction) => interaction.choices !== null);
    expect(completed.choices?.map(({ value }) => value)).toContain("skill info");
  });

  test("actions of a family are subcommands of a group, and their ids and choices are offered", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]));
    const agent = (subcommand: string, options: Record<string, string>, group?: string) =>
      discord.command({
        user: ids.mia,
        channel: general,
        name: "agent",
        ...(group === undefined ? {} : { group }),
        subcommand,
        options,
      });

    const added = await agent("add", { "when-and-what": "in PT2H pay" }, "schedule");
    const [, id = ""] = /Planned \(`([^`]+)`\)/.exec((await added.answer()).content) ?? [];
    const typing = await discord.autocomplete({
      user: ids.mia,
      channel: general,
      name: "agent",
      group: "schedule",
      subcommand: "pause",
      options: {},
      focused: "id",
    });
    const { choices } = await typing.until((interaction) => interaction.choices !== null);
    expect(choices).toEqual([{ name: expect.stringContaining("pay"), value: id }]);
    expect((await (await agent("pause", { id }, "schedule")).answer()).content).toContain("Paused");
    expect((await (await agent("list", {}, "schedule")).answer()).content).toContain("**Paused**");

    await expect(agent("effort", { effort: "fast" })).rejects.toThrow("does not offer fast");
    await expect(agent("effort", { none: "low" })).rejects.toThrow("no option none");
  });

  test("a skill without its parameters opens a form, and runs with what was filled in", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });
    const run = () =>
      discord.command({
        user: ids.adam,
        channel: general,
        name: "skill",
        subcommand: "run",
        options: { skill: "greeter" },
      });

    const on = await run();
    const { modal } = await on.until((interaction) => interaction.modal !== null);
    expect(JSON.stringify(modal)).toContain("times");
    const wrong = await discord.submitModal({ user: ids.adam, on, fields: { who: "Mia", times: "often" } });
    expect((await wrong.answer()).content).toContain("times");
    expect((await wrong.answer()).ephemeralFor).toBe(ids.adam);

    const again = await run();
    await again.until((interaction) => interaction.modal !== null);
    const right = await discord.submitModal({
      user: ids.adam,
      on: again,
      fields: { who: "Mia", times: "2" },
    });
    expect((await right.answer()).content).toContain("Hello Mia! Hello Mia!");
  });

  test("“Ask Knack about this” answers in a thread of the message", async () => {
    const discord = await fakeDiscord();
    const model = scriptedModel(["It means that."]);
    await discordBot(discord, model);
    const message = await discord.say({ user: ids.mia, channel: general, content: "the flux is inverted" });

    await discord.contextMenu({ user: ids.adam, message, name: "Ask Knack about this" });

    const [answer] = await discord.until((state) => said(state, message));
    expect(answer?.content).toBe("It means that.");
    expect(JSON.stringify(model.requests[0])).toContain("the flux is inverted");
  });
});

describe("buttons", () => {
  test("a wrong person is told so and nothing happens, and the asker can delete the answer", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["Answer."]));
    const id = await discord.say({ user: ids.mia, channel: general, content: `${mention} hello?` });
    const [answer] = await discord.until((state) => {
      const found = said(state, id);
      return found?.[0]?.components.length ? found : undefined;
    });
    const message = answer?.id ?? "";
    const customId = (answer && buttons(answer).find(({ label }) => label === "Delete")?.custom_id) ?? "";

    const wrong = await discord.click({ user: ids.adam, message, customId });
    const { followups } = await wrong.until((interaction) => interaction.followups.length > 0);
    expect(followups[0]).toMatchObject({ ephemeralFor: ids.adam });
    expect(said(await discord.state(), id)).toHaveLength(1);

    const right = await discord.click({ user: ids.mia, message, customId });
    expect((await right.callback()).type).toBe(6);
    await discord.until((state) => said(state, id) === undefined);
  });

  test("a question with many choices is a menu, and the choice is the answer", async () => {
    const discord = await fakeDiscord();
    const choices = ["red", "green", "blue", "white", "black", "pink", "grey"];
    const painter = testSkill(
      "painter",
      [{ name: "painter", run: (_, context) => context.ask({ text: "Which colour?", choices }) }],
      { active: true },
    );
    const model = scriptedModel([[{ call: "painter" }], "Painted."]);
    await discordBot(discord, model, { skills: [painter] });
    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} paint` });
    const [asked] = await discord.until((state) => said(state, id));
    const menu = JSON.stringify(asked?.components);
    expect(menu).toContain("grey");
    const value = /"value":"(answer:[^"]+:6)"/.exec(menu)?.[1] ?? "";

    await discord.click({ user: ids.adam, message: asked?.id ?? "", customId: "choose", values: [value] });

    await discord.until((state) => said(state, id)?.some(({ content }) => content === "Painted."));
    expect(JSON.stringify(model.requests[1])).toContain("grey");
  });
});

test("no interaction is answered too late or twice", async () => {
  const discord = await fakeDiscord();
  await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });
  const names = ["list", "runs", "reload"];
  const handles = await Promise.all(
    names.map((subcommand) =>
      discord.command({ user: ids.mia, channel: general, name: "skill", subcommand }),
    ),
  );
  for (const handle of handles) await handle.answer();
  const callbacks = await discord.calls("POST /interactions/:interaction/:token/callback");
  expect(callbacks.map(({ status }) => status)).toEqual([204, 204, 204]);
});

test.each([
  ["was not done", false],
  ["was done", true],
])(
  "a command whose answer failed temporarily and %s is answered in place of “thinking…”, once",
  async (_, after) => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });
    const route = "PATCH /webhooks/:application/:token/messages/:message";
    // The client's own second try fails as well.
    await discord.fail({ route, times: 2, status: 500, after });

    const enable = await discord.command({
      user: ids.mia,
      channel: general,
      name: "skill",
      subcommand: "enable",
      options: { skill: "greeter" },
    });

    expect((await enable.answer()).content).toContain("greeter");
    await discord.until(({ calls }) => calls.filter(({ path }) => path.includes("/messages/")).length >= 3);
    expect(await enable.now()).toMatchObject({ loading: false, followups: [] });
    expect(said(await discord.state(), general)).toHaveLength(1);
  },
);

import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createOfflineModel } from "../../../../../src/models/offline/offline-model.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { channel, createIntake } from "./fixture.ts";

const skills = [
  testSkill("poems", [], { description: "Writes poems.", examples: [{ prompt: "Write a poem", call: "" }] }),
  testSkill("general-news", [], {
    description: "News about everything.",
    examples: [{ prompt: "What is in the news?", call: "" }],
  }),
  testSkill("gone", [], {
    examples: [{ prompt: "Never", call: "" }],
    requires: { bins: ["no-such-program"], anyBins: [], env: [], config: [], os: [] },
  }),
];

describe("being invited to a channel", () => {
  it("the bot greets once, at top level, with three prompts, until it leaves and is invited again", async () => {
    const { intake, platform } = createIntake({ skills });
    await Promise.all([intake.joined({ namespace: channel }), intake.joined({ namespace: channel })]);
    expect(platform.shown).toHaveLength(1);
    const [greeting] = platform.shown;
    expect(greeting?.place).toEqual({ namespace: channel, thread: "channel" });
    const prompts = greeting?.message.markdown.match(/^- @Knack .+$/gm) ?? [];
    expect(prompts).toHaveLength(3);
    expect(prompts.join()).toContain("What is in the news?");
    expect(prompts.join()).not.toContain("Never");
    expect(greeting?.message.markdown).toContain("/skill list");
    expect(greeting?.message.markdown).not.toContain("KNACK_MODEL");
    await intake.left(channel);
    await intake.joined({ namespace: channel });
    expect(platform.shown).toHaveLength(2);
  });

  it("the greeting begins with prompts of skills that fit the channel's subject", async () => {
    const { intake, platform } = createIntake({ skills });
    platform.describe = async () => ({ name: "news", topic: "What is new" });
    const suggestions = await intake.suggestions({ namespace: channel, thread: "t" });
    expect(suggestions[0]).toEqual({ title: "What is in the news?", message: "What is in the news?" });
    expect(suggestions).toHaveLength(3);
  });

  it("the greeting says what to do when no model is configured", async () => {
    const { intake, platform } = createIntake({ model: createOfflineModel() });
    await intake.joined({ namespace: channel });
    const { markdown } = platform.shown[0]?.message ?? {};
    expect(markdown).toMatch(/only commands work: `\/skill list`.*KNACK_MODEL/);
    expect(markdown).not.toContain("@Knack");
    const prompts = await intake.suggestions({ namespace: channel, thread: "t" });
    expect(prompts.every(({ message }) => message.startsWith("/"))).toBe(true);
  });

  it("the greeting says so where the bot may not answer", async () => {
    const { intake, platform } = createIntake({ chat: { access: { channels: ["random"] } } });
    await intake.joined({ namespace: channel });
    expect(platform.shown[0]?.message.markdown).toContain("access.channels");
  });

  it("the bot is silent where it may not post, and greets when it is invited again", async () => {
    const { intake, platform } = createIntake();
    platform.fail("post", new PlatformError("forbidden", "Not here."));
    await intake.joined({ namespace: channel });
    expect(platform.shown).toEqual([]);
    await intake.joined({ namespace: channel });
    expect(platform.shown).toHaveLength(1);
  });
});

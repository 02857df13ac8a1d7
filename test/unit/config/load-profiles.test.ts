import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadProfiles } from "../../../src/config/load-profiles.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { whyUnusable } from "../../../src/core/values/profile.ts";

const sections = configSchema.parse({}).model;

describe("agent profiles", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agents-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("the shipped agent profiles can be loaded, chat first", async () => {
    const profiles = await loadProfiles(sections);
    expect(profiles.map((profile) => profile.id)).toEqual([
      "chat",
      "app",
      "data",
      "image",
      "research",
      "review",
      "supervisor",
    ]);
    expect(profiles.every((profile) => profile.prompt.length > 20)).toBe(true);
  });

  it.each([
    ["no frontmatter", "You help.", /no frontmatter\. It begins with ---, description/],
    ["no description", "---\neffort: low\n---\nYou help.", /description/],
    ["broken YAML", "---\ndescription: [\n---\nYou help.", /It begins with ---, description/],
    ["unknown keys", "---\ndescription: x\ncolour: y\n---\nYou help.", /colour/],
  ])(
    "an agent profile with %s cannot be used and says what is wrong, while the others work",
    async (_defect, text, words) => {
      writeFileSync(join(folder, "bad.md"), text);
      writeFileSync(join(folder, "good.md"), "---\ndescription: Good.\n---");
      const [bad, good] = await loadProfiles(sections, undefined, folder);
      expect(bad).toMatchObject({ id: "bad", tools: [], unusable: { where: join(folder, "bad.md") } });
      expect(whyUnusable(bad)).toMatch(/^bad\.md: /);
      expect(whyUnusable(bad)).toMatch(words);
      expect(good).toEqual({ id: "good", description: "Good.", prompt: "" });
    },
  );

  it.each(["Good.md", "my agent.md", "ä.md"])(
    "an agent profile called %s cannot be used: the name is the id",
    async (name) => {
      writeFileSync(join(folder, name), "---\ndescription: x\n---\nYou help.");
      const [agent] = await loadProfiles(sections, undefined, folder);
      expect(whyUnusable(agent)).toContain("its name is the agent's id: small letters");
    },
  );

  it("a README or a folder is not an agent profile", async () => {
    writeFileSync(join(folder, "README.md"), "# Our agents");
    mkdirSync(join(folder, "old.md"));
    writeFileSync(join(folder, "good.md"), "---\ndescription: Good.\n---");
    const agents = await loadProfiles(sections, undefined, folder);
    expect(agents.map(({ id, unusable }) => [id, unusable?.message ?? ""])).toEqual([
      ["good", ""],
      ["old", expect.stringContaining("EISDIR")],
    ]);
  });

  it("an empty folder of agent profiles is refused", async () => {
    await expect(loadProfiles(sections, undefined, folder)).rejects.toThrow(/no agent/);
  });

  it.each([
    ["model: groq/llama-3.3-70b\neffort: high", { model: "groq/llama-3.3-70b", effort: "high" }],
    ["", { model: undefined, effort: undefined }],
  ])("an agent profile may name a model and an effort: %j", async (more, expected) => {
    writeFileSync(join(folder, "reader.md"), `---\ndescription: Reads.\n${more}\n---\nYou read.\n`);
    const [agent] = await loadProfiles(sections, undefined, folder);
    expect(agent).toMatchObject({ id: "reader", prompt: "You read." });
    expect({ model: agent.model, effort: agent.effort }).toEqual(expected);
  });

  it.each([
    ["model: gpt-6-luna", /reader\.md[\s\S]*expected provider\/model/],
    ["model: grok/grok-4", /reader\.md[\s\S]*there is no provider grok, did you mean groq/],
    ["effort: extreme", /reader\.md[\s\S]*Invalid option/],
  ])("an agent profile with an unusable model or effort cannot be used: %s", async (more, words) => {
    writeFileSync(join(folder, "reader.md"), `---\ndescription: Reads.\n${more}\n---\nYou read.\n`);
    const [agent] = await loadProfiles(sections, undefined, folder);
    expect(whyUnusable(agent)).toMatch(words);
  });

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  it("agent profiles of an operator replace the shipped ones, and need no folder", async () => {
    write("chat.md", "---\ndescription: Ours.\n---\nYou are ours.\n");
    write("legal.md", "---\ndescription: Reads contracts.\nskills: [web-search]\n---\nYou read.\n");
    const profiles = await loadProfiles(sections, folder);
    expect(profiles[0]).toMatchObject({ id: "chat", description: "Ours." });
    expect(profiles.find(({ id }) => id === "legal")?.skills).toEqual({ "*": false, "web-search": 0 });
    expect(await loadProfiles(sections, join(folder, "none"))).toHaveLength(7);
  });

  it("a mode takes what it does not say from its agent, whose words come first", async () => {
    write(
      "chat.md",
      "---\ndescription: Chats.\ntools: [skill]\neffort: low\nskills: {a: 1}\n---\nYou chat.\n",
    );
    write("fast.md", "---\ndescription: Fast.\npreset_of: chat\nskills: {b: 2}\n---\nBe fast.\n");
    const [, fast] = await loadProfiles(sections, undefined, folder);
    expect(fast).toEqual({
      id: "fast",
      description: "Fast.",
      preset_of: "chat",
      tools: ["skill"],
      effort: "low",
      skills: { a: 1, b: 2 },
      prompt: "You chat.\n\nBe fast.",
    });
  });

  it.each([
    [
      "a mode of nobody",
      "preset_of: chatt",
      /fast\.md[\s\S]*there is no agent chatt[\s\S]*Did you mean chat/,
    ],
    ["a category that does not exist", "tools: [searching]", /fast\.md[\s\S]*Invalid option/],
    ["a priority that is none", "skills: {a: high}", /fast\.md/],
    ["actions that are none", "black_tool_actions: {chat: 3}", /fast\.md/],
  ])("an agent profile with an impossible value cannot be used: %s", async (_name, more, words) => {
    write("chat.md", "---\ndescription: Chats.\n---\nYou chat.\n");
    write("fast.md", `---\ndescription: Fast.\n${more}\n---\nBe fast.\n`);
    const [chat, fast] = await loadProfiles(sections, undefined, folder);
    expect(chat.unusable).toBeUndefined();
    expect(whyUnusable(fast ?? {})).toMatch(words);
  });

  it("an invalid agent profile does not give way to the shipped one of its id, nor do its modes", async () => {
    write("chat.md", "---\ndescription: Ours.\ntools: [search\n---\nYou are ours.\n");
    const profiles = await loadProfiles(sections, folder);
    expect(profiles.flatMap(({ id, unusable }) => (unusable === undefined ? [] : id))).toEqual([
      "chat",
      "app",
      "image",
    ]);
    expect(profiles.map(({ id, tools }) => [id, tools?.length])).toContainEqual(["chat", 0]);
  });

  it("a mode may not do what its agent may not", async () => {
    write("chat.md", "---\ndescription: C.\nblack_tool_actions: {files: [delete], web: '*'}\n---");
    write("fast.md", "---\ndescription: F.\npreset_of: chat\nblack_tool_actions: {files: move}\n---");
    const [, fast] = await loadProfiles(sections, undefined, folder);
    expect(fast?.black_tool_actions).toEqual({ files: ["delete", "move"], web: ["*"] });
  });
});

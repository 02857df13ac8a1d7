import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadProfiles } from "../../../src/config/load-profiles.ts";
import { configSchema } from "../../../src/config/schema.ts";

const sections = configSchema.parse({}).model;

describe("agent profiles", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agents-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("that ship can be loaded, chat first", async () => {
    const profiles = await loadProfiles(sections);
    expect(profiles.map((profile) => profile.id)).toEqual([
      "chat",
      "app",
      "data",
      "image",
      "research",
      "supervisor",
    ]);
    expect(profiles.every((profile) => profile.prompt.length > 20)).toBe(true);
  });

  it.each([
    ["no frontmatter", "You help."],
    ["no description", "---\nname: x\n---\nYou help."],
    ["broken YAML", "---\ndescription: [\n---\nYou help."],
    ["unknown keys", "---\ndescription: x\ncolour: y\n---\nYou help."],
  ])("with %s are refused, naming the file and the right form", async (_defect, text) => {
    writeFileSync(join(folder, "bad.md"), text);
    await expect(loadProfiles(sections, undefined, folder)).rejects.toThrow(
      /bad\.md[\s\S]*It begins with ---, description/,
    );
  });

  it("are needed: an empty folder is refused", async () => {
    await expect(loadProfiles(sections, undefined, folder)).rejects.toThrow(/no agent/);
  });

  it.each([
    ["model: groq/llama-3.3-70b\neffort: high", { model: "groq/llama-3.3-70b", effort: "high" }],
    ["", { model: undefined, effort: undefined }],
  ])("may name a model and an effort: %j", async (more, expected) => {
    writeFileSync(join(folder, "reader.md"), `---\ndescription: Reads.\n${more}\n---\nYou read.\n`);
    const [agent] = await loadProfiles(sections, undefined, folder);
    expect(agent).toMatchObject({ id: "reader", prompt: "You read." });
    expect({ model: agent.model, effort: agent.effort }).toEqual(expected);
  });

  it.each([
    ["model: gpt-6-luna", /reader\.md[\s\S]*expected provider\/model/],
    ["model: grok/grok-4", /reader\.md[\s\S]*there is no provider grok, did you mean groq/],
    ["effort: extreme", /reader\.md[\s\S]*Invalid option/],
  ])("that name one nobody can use are refused: %s", async (more, words) => {
    writeFileSync(join(folder, "reader.md"), `---\ndescription: Reads.\n${more}\n---\nYou read.\n`);
    await expect(loadProfiles(sections, undefined, folder)).rejects.toThrow(words);
  });

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  it("of an operator replace those that ship, and need no folder", async () => {
    write("chat.md", "---\ndescription: Ours.\n---\nYou are ours.\n");
    write("legal.md", "---\ndescription: Reads contracts.\nskills: [web-search]\n---\nYou read.\n");
    const profiles = await loadProfiles(sections, folder);
    expect(profiles[0]).toMatchObject({ id: "chat", description: "Ours." });
    expect(profiles.find(({ id }) => id === "legal")?.skills).toEqual({ "*": false, "web-search": 0 });
    expect(await loadProfiles(sections, join(folder, "none"))).toHaveLength(6);
  });

  it("that are modes have what they do not say from their agent, its words first", async () => {
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
  ])("that say what cannot be are refused: %s", async (_name, more, words) => {
    write("chat.md", "---\ndescription: Chats.\n---\nYou chat.\n");
    write("fast.md", `---\ndescription: Fast.\n${more}\n---\nBe fast.\n`);
    await expect(loadProfiles(sections, undefined, folder)).rejects.toThrow(words);
  });
});

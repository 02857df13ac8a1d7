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
    expect(profiles.map((profile) => profile.id)).toEqual(["chat", "data", "research"]);
    expect(profiles.every((profile) => profile.prompt.length > 20)).toBe(true);
  });

  it.each([
    ["no frontmatter", "You help."],
    ["no description", "---\nname: x\n---\nYou help."],
    ["broken YAML", "---\ndescription: [\n---\nYou help."],
    ["unknown keys", "---\ndescription: x\ncolour: y\n---\nYou help."],
  ])("with %s are refused, naming the file and the right form", async (_defect, text) => {
    writeFileSync(join(folder, "bad.md"), text);
    await expect(loadProfiles(sections, folder)).rejects.toThrow(
      /bad\.md[\s\S]*It begins with ---, description/,
    );
  });

  it("are needed: an empty folder is refused", async () => {
    await expect(loadProfiles(sections, folder)).rejects.toThrow(/no agent/);
  });

  it.each([
    ["model: groq/llama-3.3-70b\neffort: high", { model: "groq/llama-3.3-70b", effort: "high" }],
    ["", { model: undefined, effort: undefined }],
  ])("may name a model and an effort: %j", async (more, expected) => {
    writeFileSync(join(folder, "reader.md"), `---\ndescription: Reads.\n${more}\n---\nYou read.\n`);
    const [agent] = await loadProfiles(sections, folder);
    expect(agent).toMatchObject({ id: "reader", prompt: "You read." });
    expect({ model: agent.model, effort: agent.effort }).toEqual(expected);
  });

  it.each([
    ["model: gpt-6-luna", /reader\.md[\s\S]*expected provider\/model/],
    ["model: grok/grok-4", /reader\.md[\s\S]*there is no provider grok, did you mean groq/],
    ["effort: extreme", /reader\.md[\s\S]*Invalid option/],
  ])("that name one nobody can use are refused: %s", async (more, words) => {
    writeFileSync(join(folder, "reader.md"), `---\ndescription: Reads.\n${more}\n---\nYou read.\n`);
    await expect(loadProfiles(sections, folder)).rejects.toThrow(words);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadProfiles } from "../../../src/config/load-profiles.ts";

describe("agent profiles", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agents-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("that ship can be loaded, chat first", async () => {
    const profiles = await loadProfiles();
    expect(profiles.map((profile) => profile.id)).toEqual(["chat", "data", "research"]);
    expect(profiles.every((profile) => profile.prompt.length > 20)).toBe(true);
  });

  it.each([
    ["no frontmatter", "You help."],
    ["no description", "---\nname: x\n---\nYou help."],
    ["broken YAML", "---\ndescription: [\n---\nYou help."],
    ["unknown keys", "---\ndescription: x\nmodel: y\n---\nYou help."],
  ])("with %s are refused, naming the file and the right form", async (_defect, text) => {
    writeFileSync(join(folder, "bad.md"), text);
    await expect(loadProfiles(folder)).rejects.toThrow(/bad\.md[\s\S]*It begins with ---, description/);
  });

  it("are needed: an empty folder is refused", async () => {
    await expect(loadProfiles(folder)).rejects.toThrow(/no agent/);
  });
});

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { isProviderKind, providerKinds, providerPresets } from "../../src/config/provider-presets.ts";
import { readPlugin } from "../../src/imported/plugin-file.ts";
import { readServers } from "../../src/mcp/read-servers.ts";
import { modelFacts } from "../../src/models/catalogue/model-facts.ts";
import { validatePackage } from "../../src/skills/document/validate-package.ts";
import { createFolderSource } from "../../src/skills/folder-source.ts";

/** The first fenced block of a page that holds this text. */
async function example(page: string, holds: string): Promise<string> {
  const text = await readFile(page, "utf8");
  const blocks = [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.find((block) => block.includes(holds)) ?? "";
}

/** Loads a folder of skills with this one in it. */
async function load(id: string, files: Record<string, string>) {
  const root = await mkdtemp(path.join(tmpdir(), "knack-readme-"));
  try {
    const folder = path.join(root, id);
    await mkdir(path.join(folder, "scripts"), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    expect(await validatePackage(folder)).toEqual({ valid: true, errors: [] });
    const source = createFolderSource({ source: "workspace", precedence: 1, root, importModules: false });
    const { skills, diagnostics } = await source.load();
    expect(diagnostics).toEqual([]);
    return skills[0];
  } finally {
    await rm(root, { recursive: true });
  }
}

test("the smallest skill of README is a valid package that needs nothing", async () => {
  const skill = await load("greeter", {
    "SKILL.md": await example("README.md", "name: greeter"),
    "scripts/hello.py": await example("README.md", "import sys"),
  });
  expect(skill).toMatchObject({ id: "greeter", requires: { env: [], bins: [], anyBins: [], config: [] } });
});

test("the SKILL.md with all fields is a valid package, and all its fields are read", async () => {
  const skill = await load("letterhead", {
    "SKILL.md": await example("docs/skills.md", "name: letterhead"),
    "scripts/print.py": "print('hello')",
  });
  expect(skill).toMatchObject({
    id: "letterhead",
    name: "Letterhead",
    category: "writing",
    tags: ["letter", "paper"],
    requires: { env: ["LETTERHEAD_KEY"], bins: ["python3"] },
  });
});

test("the documented plugin.json is read without a complaint", async () => {
  const origin = { source: "workspace", precedence: 1, path: "/skills/dice" };
  const { plugin, diagnostics } = readPlugin({ text: await example("docs/skills.md", '"hubId"'), origin });
  expect(diagnostics).toEqual([]);
  expect(plugin?.metadata).toMatchObject({ id: "dice", parameters: [{ name: "sides" }] });
});

test("the documented tool servers are read without a complaint", async () => {
  const { mcpServers } = JSON.parse(await example("docs/tool-servers.md", '"mcpServers"'));
  const { servers, diagnostics } = readServers(mcpServers, "config/mcp.json", { TRACKER_TOKEN: "t" });
  expect(diagnostics).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(["files", "tracker"]);
});

test("the documented providers are all known providers, with what they need", async () => {
  const page = await readFile("docs/models.md", "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|(.*)\|$/gm)].map(([, name, needs, model]) => ({
    name,
    needs,
    model,
  }));
  expect(rows.map(({ name }) => name).sort()).toEqual([...providerKinds].sort());
  for (const { name = "", needs = "", model = "" } of rows) {
    if (!isProviderKind(name)) continue;
    const { defaultModel, local, keyVariable, addressVariables = [] } = providerPresets[name];
    expect(model.trim(), name).toBe(defaultModel === undefined ? "" : `\`${defaultModel}\``);
    expect(needs, name).toContain(local ? addressVariables.at(-1) : keyVariable);
  }
});

test("the models that documented commands choose are known, and none of them ends", async () => {
  const pages = ["README.md", "docs/models.md", "docs/chatting.md"];
  const text = (await Promise.all(pages.map((page) => readFile(page, "utf8")))).join("");
  const chosen = [...text.matchAll(/(?:KNACK_MODEL=|\/agent model )([a-z]+)\/([a-z][\w./:-]*\w)/g)];
  const hosted = chosen.flatMap(([, provider = "", model = ""]) =>
    isProviderKind(provider) && providerPresets[provider].local !== true ? [{ provider, model }] : [],
  );
  expect(hosted).not.toEqual([]);
  for (const { provider, model } of hosted) {
    const { window, retires } = modelFacts(provider, model);
    expect(window, `${provider}/${model}`).toBeDefined();
    expect(retires, `${provider}/${model}`).toBeUndefined();
  }
});

test("the documented custom providers are read without a complaint", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-readme-"));
  try {
    await writeFile(path.join(folder, "own.yaml"), await example("docs/models.md", "gpu-box:"));
    const { config } = await loadConfig({ file: "own.yaml", env: {}, cwd: folder });
    expect(Object.keys(config.model.providers)).toEqual(["gpu-box", "gateway"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

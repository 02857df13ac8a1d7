import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { isProviderKind, providerKinds, providerPresets } from "../../src/config/provider-presets.ts";
import { readPlugin } from "../../src/imported/plugin-file.ts";
import { readServers } from "../../src/mcp/read-servers.ts";
import { modelFacts } from "../../src/models/catalogue/model-facts.ts";
import { createFolderSource } from "../../src/skills/folder-source.ts";
import { validatePackage } from "../../src/skills/validate-package.ts";

/** The first fenced block of README that holds this text. */
async function example(holds: string): Promise<string> {
  const readme = await readFile("README.md", "utf8");
  const blocks = [...readme.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.find((block) => block.includes(holds)) ?? "";
}

test("the SKILL.md of the README is a valid package whose fields are all read", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "knack-readme-"));
  try {
    const folder = path.join(root, "greeter");
    await mkdir(path.join(folder, "scripts"), { recursive: true });
    await writeFile(path.join(folder, "SKILL.md"), await example("name: greeter"));
    await writeFile(path.join(folder, "scripts", "hello.py"), "print('hello')");
    expect(await validatePackage(folder)).toEqual({ valid: true, errors: [] });
    const source = createFolderSource({ source: "workspace", precedence: 1, root, importModules: false });
    const { skills, diagnostics } = await source.load();
    expect(diagnostics).toEqual([]);
    expect(skills[0]).toMatchObject({
      id: "greeter",
      name: "Greeter",
      category: "writing",
      tags: ["greeting", "hello"],
      requires: { env: ["GREETER_KEY"], bins: ["python3"] },
    });
  } finally {
    await rm(root, { recursive: true });
  }
});

test("the plugin.json of the README is read without a complaint", async () => {
  const origin = { source: "workspace", precedence: 1, path: "/skills/dice" };
  const { plugin, diagnostics } = readPlugin({ text: await example('"hubId"'), origin });
  expect(diagnostics).toEqual([]);
  expect(plugin?.metadata).toMatchObject({ id: "dice", parameters: [{ name: "sides" }] });
});

test("the tool servers of the README are read without a complaint", async () => {
  const { mcpServers } = JSON.parse(await example('"mcpServers"'));
  const { servers, diagnostics } = readServers(mcpServers, "config/mcp.json", { TRACKER_TOKEN: "t" });
  expect(diagnostics).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(["files", "tracker"]);
});

test("the providers of the README are all that are known, with what they need", async () => {
  const readme = await readFile("README.md", "utf8");
  const rows = [...readme.matchAll(/^\| `(\w+)` \| (.*) \|(.*)\|$/gm)].map(([, name, needs, model]) => ({
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

test("the models that the README's commands choose are known, and none of them ends", async () => {
  const readme = await readFile("README.md", "utf8");
  const chosen = [...readme.matchAll(/(?:KNACK_MODEL=|\/agent model )([a-z]+)\/([a-z][\w./:-]*\w)/g)];
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

test("the providers of the README's configuration are read without a complaint", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-readme-"));
  try {
    await writeFile(path.join(folder, "own.yaml"), await example("gpu-box:"));
    const { config } = await loadConfig({ file: "own.yaml", env: {}, cwd: folder });
    expect(Object.keys(config.model.providers)).toEqual(["gpu-box", "gateway"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the tests that SECURITY.md names for its promises are there", async () => {
  const text = await readFile("SECURITY.md", "utf8");
  const named = [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(40);
  for (const file of named) await access(/^(test|\.ci)\//.test(file) ? file : path.join("test/unit", file));
});

import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createHostFacts } from "../../../src/skills/host-facts.ts";
import { temporaryFolder, writeFiles } from "./temporary-folder.ts";

const factsOf = (options: Partial<Parameters<typeof createHostFacts>[0]>) =>
  createHostFacts({ env: {}, config: {}, capabilities: [], ...options });

test("a program is found in any folder of the PATH, and only when it can be run", () => {
  const [first, second] = [temporaryFolder(), temporaryFolder({ tool: "#!/bin/sh\n", notes: "text" })];
  chmodSync(path.join(second, "tool"), 0o755);
  mkdirSync(path.join(second, "folder"));
  const facts = factsOf({ env: { PATH: [first, second].join(path.delimiter) } });
  expect(["tool", "notes", "folder", "missing", ""].map((name) => facts.hasBin(name))).toEqual([
    ...[true, false, false, false, false],
  ]);
});

test("a name with a path in it is not a program", () => {
  const folder = temporaryFolder({ "bin/tool": "#!/bin/sh\n" });
  chmodSync(path.join(folder, "bin/tool"), 0o755);
  const facts = factsOf({ env: { PATH: folder } });
  expect(facts.hasBin("bin/tool")).toBe(false);
  expect(facts.hasBin(path.join(folder, "bin/tool"))).toBe(false);
});

test("a found program is remembered", () => {
  const folder = temporaryFolder();
  const facts = factsOf({ env: { PATH: folder } });
  expect(facts.hasBin("late")).toBe(false);
  writeFiles(folder, { late: "#!/bin/sh\n" });
  chmodSync(path.join(folder, "late"), 0o755);
  expect(facts.hasBin("late")).toBe(false);
});

test("a variable counts when it is set and not empty, for all skills or for one and its parts", () => {
  const facts = factsOf({ env: { TOKEN: "t", EMPTY: "" }, skillEnv: { notes: { KEY: "k" } } });
  expect(facts.hasEnv("TOKEN", { id: "any" })).toBe(true);
  expect(facts.hasEnv("EMPTY", { id: "any" })).toBe(false);
  expect(facts.hasEnv("KEY", { id: "any" })).toBe(false);
  expect(facts.hasEnv("KEY", { id: "notes" })).toBe(true);
  expect(facts.hasEnv("KEY", { id: "notes#add" })).toBe(true);
});

test("a dotted path of the configuration counts when it is truthy", () => {
  const facts = factsOf({ config: { browser: { enabled: true, path: "" } } });
  expect(facts.hasConfig("browser.enabled")).toBe(true);
  expect(facts.hasConfig("browser.path")).toBe(false);
  expect(facts.hasConfig("browser.enabled.deeper")).toBe(false);
  expect(facts.hasConfig("constructor")).toBe(false);
});

test("all skills are allowed unless the operator says otherwise", () => {
  expect(factsOf({ os: "darwin" })).toMatchObject({
    os: "darwin",
    allowed: ["*"],
    denied: [],
    disabled: [],
  });
});

import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BotHome } from "../../support/bot/bot-process.ts";
import { type PlatformModel, startPlatformModel } from "../../support/bot/platform-model.ts";
import { needs } from "../../support/needs.ts";
import { shellWords } from "../../support/shell-words.ts";
import { useHome } from "../support/use-home.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const page = (name: string) => readFile(path.join(root, name), "utf8");

let model: PlatformModel;
beforeAll(async () => {
  model = await startPlatformModel();
});
afterAll(() => model.stop());

const home = useHome({
  env: () => ({ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url }),
  async prepare({ folder, write }) {
    await copySkill(write);
    await copyHandler(write);
    await symlink(path.join(root, "skills"), path.join(folder, "skills"));
  },
  running: true,
});

/** The skill of README, copied letter by letter to where README says. */
async function copySkill(write: BotHome["write"]) {
  const files = [
    ...(await page("README.md")).matchAll(/^`(\.knack-workspace\S+)`:\n\n```\w+\n([\s\S]*?)^```$/gm),
  ];
  expect(files.map(([, file]) => path.basename(file ?? ""))).toEqual(["SKILL.md", "hello.py"]);
  for (const [, file = "", text = ""] of files) await write(file, text);
}

/** The AnythingLLM skill of docs/skills.md. */
async function copyHandler(write: BotHome["write"]) {
  const text = await page("docs/skills.md");
  const block = (language: string, holds: string) =>
    [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].find(
      ([all, its]) => its === language && all.includes(holds),
    );
  await write(".knack-workspace/skills/dice/plugin.json", block("json", '"hubId": "dice"')?.[2] ?? "");
  await write(".knack-workspace/skills/dice/handler.js", block("js", "handler({ sides })")?.[2] ?? "");
}

/** Commands that need no token, no network, and nobody of whom something is stored. */
const runnable = /^(ask|command|config|doctor$|flows|prompt|retention|skills)\b/;

const pages = await Promise.all(
  ["README.md", "docs/command-line.md", "docs/data.md", "docs/settings.md"].map(page),
);
const commands = [...pages.join("\n").matchAll(/^npm run -s knack -- (.+?)(?:\s+#.*)?$/gm)]
  .map(([, command = ""]) => command)
  .filter((command) => runnable.test(command));

it("the documents have commands to run", () => expect(commands.length).toBeGreaterThan(10));

it.each(commands)("the documented command knack %s succeeds", async (command) => {
  const { code, stdout, stderr } = await home().run(shellWords(command));
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
});

it("the skill of README does what README says", needs("bubblewrap", "python3"), async () => {
  const script = { skill_name: "greeter", script: "scripts/hello.py", args: ["Ada", "es"] };
  const calls = [
    { call: "activate_skill", with: { skill_name: "greeter" } },
    { call: "run_skill_script", with: script },
  ];
  model.when("greet Ada", ({ results }) => [calls[results.length] ?? results.join("\n")]);
  const { code, stdout, stderr } = await home().run(["ask", "greet Ada in Spanish"]);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/# Greeter[\s\S]*Buenos días, Ada!/),
  });
});

it("the documented AnythingLLM skill runs without a language model", needs("bubblewrap"), async () => {
  const run = await home().run(["command", "/skill run dice sides=6"]);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/\b[1-6]\b/) });
  expect(model.askedOf("dice")).toEqual([]);
});

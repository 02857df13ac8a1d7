import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import { shellWords } from "../../support/shell-words.ts";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();
const root = path.resolve(import.meta.dirname, "../../..");
const page = (name: string) => readFile(path.join(root, name), "utf8");

/** The skill of README, copied letter by letter to where README says. */
async function copySkill(write: (file: string, text: string) => Promise<void>) {
  const files = [
    ...(await page("README.md")).matchAll(/^`(\.knack-workspace\S+)`:\n\n```\w+\n([\s\S]*?)^```$/gm),
  ];
  expect(files.map(([, file]) => path.basename(file ?? ""))).toEqual(["SKILL.md", "hello.py"]);
  for (const [, file = "", text = ""] of files) await write(file, text);
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

it.each(commands)("the documented command knack %s succeeds in a new folder", async (command) => {
  const { home } = bot();
  await copySkill(home.write);
  await symlink(path.join(root, "skills"), path.join(home.folder, "skills"));
  const { code, stdout, stderr } = await home.run(shellWords(command), { env: { KNACK_MODEL: "offline" } });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
});

it("the skill of README does what README says", needs("bubblewrap", "python3"), async () => {
  const { home, models } = bot();
  await copySkill(home.write);
  const call = (name: string, input: unknown) => ({
    toolCalls: [{ name, arguments: JSON.stringify(input) }],
  });
  const script = { skill_name: "greeter", script: "scripts/hello.py", args: ["Ada", "es"] };
  await models.add([
    { match: { toolResultContains: "Buenos días, Ada!" }, response: { content: "Buenos días, Ada!" } },
    { match: { toolResultContains: "# Greeter" }, response: call("run_skill_script", script) },
    { match: { userMessage: "greet Ada" }, response: call("activate_skill", { skill_name: "greeter" }) },
  ]);
  const { code, stdout, stderr } = await home.run(["ask", "greet Ada in Spanish"]);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Buenos días, Ada!"),
  });
});

it("the documented AnythingLLM skill runs without a language model", needs("bubblewrap"), async () => {
  const { home } = bot();
  const text = await page("docs/skills.md");
  const block = (language: string, holds: string) =>
    [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].find(
      ([all, its]) => its === language && all.includes(holds),
    );
  await home.write(".knack-workspace/skills/dice/plugin.json", block("json", '"hubId": "dice"')?.[2] ?? "");
  await home.write(".knack-workspace/skills/dice/handler.js", block("js", "handler({ sides })")?.[2] ?? "");
  const run = await home.run(["command", "/skill run dice sides=6"], { env: { KNACK_MODEL: "offline" } });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/\b[1-6]\b/) });
});

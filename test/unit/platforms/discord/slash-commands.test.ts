import { describe, expect, test } from "vitest";
import type { CommandOption } from "../../../../src/app/operations/services.ts";
import {
  commandsHash,
  commandText,
  isPrivateCommand,
  type OptionDefinition,
  slashCommands,
  typedSoFar,
} from "../../../../src/platforms/discord/incoming/slash-commands.ts";
import { createGoldenBot } from "../../../goldens/golden-bot.ts";
import { checkCommands } from "../../../support/discord/api/command-check.ts";

const named = (name: string, options: readonly CommandOption[] = [], description = "Does it") => ({
  name,
  description,
  options,
});
const { app } = createGoldenBot().test;
const values = async () => [];
const commands = slashCommands([
  named("skill list", [{ name: "words", description: "Only what fits" }]),
  named("flow run", [
    { name: "flow", description: "Which", required: true, complete: values },
    { name: "dry-run", description: "Only tell", type: "flag" },
    { name: "input", description: "Its input" },
  ]),
  named("agent status"),
  named("agent progress", [
    {
      name: "level",
      description: "How much",
      required: true,
      choices: [
        { text: "quiet", description: "only the answer" },
        { text: "full", description: "" },
      ],
    },
  ]),
  named("agent approvals list"),
  named("agent approvals remove", [
    { name: "number", description: "Which", required: true, type: "number", complete: values },
  ]),
  named("agent use", [], "x".repeat(200)),
]);

describe("the registered commands", () => {
  test("Discord takes the commands of the bot, and each description is in words", () => {
    const all = slashCommands(app.commands);
    expect(() => checkCommands(all)).not.toThrow();
    const flat = (options: readonly OptionDefinition[] = []): OptionDefinition[] =>
      options.flatMap((option) => [option, ...flat(option.options)]);
    const described = [...all.slice(0, -1), ...all.flatMap(({ options }) => flat(options))];
    for (const { name, description } of described)
      expect(`${name}: ${description}`).toMatch(/: [A-Z][^<>[\]|]{8,99}$/);
    expect(described.filter(({ description }) => description?.startsWith("Commands of"))).toEqual([]);
  });

  test("the registered commands have the same hash as long as they are the same", () => {
    expect(commandsHash(commands)).toBe(commandsHash(structuredClone(commands)));
    expect(commandsHash(commands)).not.toBe(commandsHash(commands.slice(1)));
  });
});

describe("a command", () => {
  const run = (options: object[]) => ({ name: "flow", options: [{ name: "run", type: 1, options }] });
  const flow = { name: "flow", type: 3, value: "weekly" };

  test("a command is the text that a person would write, whatever the order of its options", () => {
    const input = { name: "input", type: 3, value: ' {"a": 1} ' };
    const dry = (value: boolean) => ({ name: "dry-run", type: 5, value });
    const text = (options: object[]) => commandText(run(options) as never, commands);
    expect(text([input, dry(true), flow])).toBe('/flow run weekly --dry-run {"a": 1}');
    expect(text([dry(false), flow])).toBe("/flow run weekly");
    expect(commandText({ name: "knack" }, commands)).toBe("/knack");
    const remove = { name: "remove", type: 1, options: [{ name: "number", type: 4, value: 3 }] };
    const grouped = { name: "agent", options: [{ name: "approvals", type: 2, options: [remove] }] };
    expect(commandText(grouped, commands)).toBe("/agent approvals remove 3");
  });

  test("a command of an earlier registration is still the text that a person would write", () => {
    const before = { name: "schedule", type: 1, options: [{ name: "list", type: 3, value: "add tomorrow" }] };
    expect(commandText({ name: "agent", options: [before] }, commands)).toBe("/agent schedule add tomorrow");
  });

  test("a command that is typed is completed where the person types", () => {
    const typing = run([{ ...flow, value: "wee", focused: true }]);
    expect(typedSoFar(typing as never)).toMatchObject({ text: "/flow run wee", before: "/flow run " });
    const any = { name: "knack", options: [{ name: "command", type: 3, value: "skill l", focused: true }] };
    expect(typedSoFar(any)).toMatchObject({ text: "/skill l", before: "/" });
  });

  test.each([
    ["/skill list", true],
    ["/knack", true],
    ["/knack skill info x", true],
    ["/knack skill enable x", false],
    ["/skill disable x", false],
    ["/skill run x", false],
    ["/skill runs", true],
    ["/agent schedule list", true],
    ["/agent schedule add tomorrow: pay", false],
    ["/skill info enable", true],
  ])("the command %s is answered in private: %s", (text, isPrivate) => {
    expect(isPrivateCommand(text, app.commands)).toBe(isPrivate);
  });
});

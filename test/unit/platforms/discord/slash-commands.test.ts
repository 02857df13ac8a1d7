import { describe, expect, test } from "vitest";
import {
  commandsHash,
  commandText,
  isPrivateCommand,
  slashCommands,
  typedSoFar,
} from "../../../../src/platforms/discord/incoming/slash-commands.ts";

const completion = (text: string, usage: string, description = "Does it") => ({
  text,
  label: `${text.trim()} ${usage}`.trim(),
  description,
});
const commands = slashCommands([
  completion("/skill list", "[words]"),
  completion("/skill run ", "<skill> [name=value …, JSON, or text]"),
  completion("/agent status", ""),
  completion("/agent timezone ", "[zone|default]"),
  completion("/agent progress ", "quiet|steps|full"),
  completion("/agent use ", "<agent>", "x".repeat(200)),
]);
const option = (name: string, verb: string) =>
  commands.find((each) => each.name === name)?.options?.find((each) => each.name === verb);

describe("the registered commands", () => {
  test("the registered commands follow from what the app completes: groups, options, choices", () => {
    expect(commands.map(({ name }) => name)).toEqual(["skill", "agent", "knack", "Ask Knack about this"]);
    expect(option("skill", "run")?.options).toMatchObject([
      { name: "skill", required: true, autocomplete: true },
      { name: "more", required: false },
    ]);
    expect(option("skill", "list")?.options).toMatchObject([{ name: "words", required: false }]);
    expect(option("agent", "timezone")?.options).toMatchObject([
      { name: "zone", required: false, autocomplete: true },
    ]);
    expect(option("agent", "status")?.options).toEqual([]);
    expect(option("agent", "progress")?.options?.[0]?.choices).toEqual(
      ["quiet", "steps", "full"].map((value) => ({ name: value, value })),
    );
    expect(option("agent", "use")?.description).toHaveLength(100);
  });

  test("the registered commands have the same hash as long as they are the same", () => {
    expect(commandsHash(commands)).toBe(commandsHash(structuredClone(commands)));
    expect(commandsHash(commands)).not.toBe(commandsHash(commands.slice(1)));
  });
});

describe("a command", () => {
  const run = (options: object[]) => ({ name: "skill", options: [{ name: "run", type: 1, options }] });
  const skill = { name: "skill", type: 3, value: "memory" };

  test("a command is the text that a person would write", () => {
    const more = { name: "more", type: 3, value: ' {"a": 1} ' };
    expect(commandText(run([skill, more]) as never)).toBe('/skill run memory {"a": 1}');
    expect(commandText({ name: "knack" })).toBe("/knack");
  });

  test("a command that is typed is completed where the person types", () => {
    const typing = run([{ ...skill, value: "mem", focused: true }]);
    expect(typedSoFar(typing as never)).toEqual({ text: "/skill run mem", before: "/skill run " });
    const any = { name: "knack", options: [{ name: "command", type: 3, value: "skill l", focused: true }] };
    expect(typedSoFar(any)).toEqual({ text: "/skill l", before: "/" });
  });

  test.each([
    ["/skill list", true],
    ["/knack", true],
    ["/knack skill info x", true],
    ["/knack skill enable x", false],
    ["/skill disable x", false],
    ["/skill run x", false],
  ])("the command %s is answered in private: %s", (text, isPrivate) => {
    expect(isPrivateCommand(text)).toBe(isPrivate);
  });
});

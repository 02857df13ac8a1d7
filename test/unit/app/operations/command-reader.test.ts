import { describe, expect, it } from "vitest";
import { CommandReader, type SaidTo } from "../../../../src/app/turns/command-reader.ts";
import { forgetTurn } from "../../../support/bot/ask-app.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

const place = { namespace: "slack:T1:C1", thread: "t" };
const words = (name: string) => ({
  name,
  operation: name.replace(" ", "."),
  read: (rest: string) => rest || undefined,
});
const reader = new CommandReader(
  [
    words("skill list"),
    { ...words("skill run"), guide: (input) => ({ skill: String(input), request: "now" }) },
    words("skill runs"),
    { ...words("agent stop"), urgent: true },
    words("agent status"),
  ],
  "Knack",
);

describe("what somebody says", () => {
  const message = (text: string) => ({ kind: "message", text });
  const command = (text: string, words: string, name?: string, input?: string) => ({
    kind: "command",
    text,
    words,
    ...(name === undefined
      ? {}
      : { command: { name, operation: name.replace(" ", "."), ...(input === undefined ? {} : { input }) } }),
  });

  it.each<[string, SaidTo | undefined, object]>([
    ["/skill list", undefined, command("/skill list", "skill list", "skill list")],
    ["/skill list", "room", command("/skill list", "skill list", "skill list")],
    ["/SKILL List web", undefined, command("/SKILL List web", "SKILL List web", "skill list", "web")],
    ["/skill runs", undefined, command("/skill runs", "skill runs", "skill runs")],
    ["/knack skill list", "bot", command("/knack skill list", "skill list", "skill list")],
    ["/knack", undefined, command("/knack", "help")],
    ["/knackered", undefined, command("/knackered", "knackered")],
    ["/knackered", "bot", message("/knackered")],
    ["/etc/hosts is empty", "room", message("/etc/hosts is empty")],
    ["skill list", "bot", command("@Knack skill list", "skill list", "skill list")],
    ["skill list", "room", message("skill list")],
    ["skill list", undefined, message("skill list")],
    ["skill issues are hard", "bot", message("skill issues are hard")],
    ["@Knack, skill run x", undefined, command("@Knack, skill run x", "skill run x", "skill run", "x")],
    ["@Knack hello", undefined, message("hello")],
    [": hello", "bot", message("hello")],
    ["stop", "bot", command("@Knack stop", "agent stop here", "agent stop", "here")],
    ["Stop!", "bot", command("@Knack Stop!", "agent stop here", "agent stop", "here")],
    ["stop", "room", message("stop")],
    ["`/skill list`", "bot", command("/skill list", "skill list", "skill list")],
    ["**/skill list**", "room", command("/skill list", "skill list", "skill list")],
    ["@Knack ||skill list||", undefined, command("@Knack ||skill list||", "skill list", "skill list")],
    ["_*@Knack*_, /skill list", undefined, command("/skill list", "skill list", "skill list")],
    ["\u2060\u3164/skill list", "bot", command("/skill list", "skill list", "skill list")],
    ["@Knack \u200b/skill list", undefined, command("/skill list", "skill list", "skill list")],
    ["`/skill list` shows nothing", "bot", message("`/skill list` shows nothing")],
    ["> /skill list", "bot", message("> /skill list")],
    ["- /agent stop", "room", message("- /agent stop")],
    ["`skill_list` fails", "bot", message("`skill_list` fails")],
    ["*hello*", "bot", message("*hello*")],
    [" :wave: hi", "bot", message(":wave: hi")],
    ["@Knack, :) thanks", undefined, message(":) thanks")],
    ["：skill list", "bot", command("@Knack ：skill list", "skill list", "skill list")],
    ["@Knack：skill list", undefined, command("@Knack：skill list", "skill list", "skill list")],
    ["／skill list", undefined, command("/skill list", "skill list", "skill list")],
    [" ／skill list", "room", command("/skill list", "skill list", "skill list")],
    ["：／skill list", "bot", command("/skill list", "skill list", "skill list")],
    ["注意：今天", "bot", message("注意：今天")],
    ["Stop!", undefined, command("/agent stop here", "agent stop here", "agent stop", "here")],
    ["stop it please", undefined, message("stop it please")],
    ["status", "bot", command("@Knack status", "agent status", "agent status")],
    ["  ", "bot", message("(see the attached files)")],
  ])("the command reader understands %j said to %s", (text, to, expected) => {
    expect(reader.read(text, place, to)).toEqual(expected);
  });

  it("a command that stops something is urgent", () => {
    const urgent = ["stop", "/agent status"].map((text) => {
      const said = reader.read(text, place);
      return said.kind === "command" && said.command !== undefined && reader.isUrgent(said.command);
    });
    expect(urgent).toEqual([true, false]);
  });
});

describe("a command", () => {
  const entryOf = async (bot: ReturnType<typeof createTestApp>, turnId: string) => {
    const [entry] = await bot.log.read(turnId);
    if (entry?.type !== "inbound") throw new Error("a turn begins with what was said");
    return entry.inbound;
  };

  it("a command is stored as it was understood and as people wrote it", async () => {
    const bot = createTestApp(scriptedModel([]), { skills: [testSkill("echo")] });
    const { turnId } = await bot.ask("/skill  enable echo");
    expect(await entryOf(bot, turnId)).toMatchObject({ kind: "command", text: "/skill  enable echo" });
    const { turnId: next } = await bot.ask("/skill enable echo");
    expect(await entryOf(bot, next)).toMatchObject({
      command: { name: "skill enable", operation: "skill.set", input: { id: "echo", state: "pinned" } },
    });
  });

  it("a command of a form or a program runs as submitted, whatever its text says", async () => {
    const bot = createTestApp(scriptedModel([]), { skills: [testSkill("echo", [{ name: "echo" }])] });
    const submitted = await bot.app.submit({
      ...home,
      author: ada,
      text: "/skill run something else",
      command: { name: "skill run", operation: "skill.run", input: { id: "echo", params: {} } },
    });
    if (!submitted.ok) throw new Error(submitted.message);
    const events = await bot.events(submitted.value.turn_id);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_started", skill_id: "echo" }));
  });

  it("a deleted command leaves nothing of its input", async () => {
    const bot = createTestApp(scriptedModel([]), { skills: [testSkill("echo")] });
    const { turnId } = await bot.ask("/skill list secret words");
    await forgetTurn(bot.app, turnId, ada);
    expect(JSON.stringify(await bot.log.read(turnId))).not.toContain("secret words");
  });
});

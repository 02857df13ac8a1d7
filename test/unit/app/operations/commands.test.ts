import { describe, expect, it } from "vitest";
import { allOperations } from "../../../../src/app/operations/table.ts";
import type { JsonSchema } from "../../../../src/core/values/json.ts";
import { channelOf } from "../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

const skills = [
  testSkill("memory", [{ name: "memory" }]),
  testSkill("weekly", [{ name: "weekly", run: () => "report" }], { kind: "flow" }),
];
const newApp = (more = {}) => createTestApp(scriptedModel(["An answer."]), { skills, ...more });

describe("a command with far too long words", () => {
  const commands = allOperations.flatMap(({ chat = [] }) =>
    [chat].flat().map(({ command }) => `/${command}`),
  );
  it.each(commands)("the command %s answers too long words in plain language", async (command) => {
    const { end } = await newApp().ask(`${command} ${"x".repeat(9_000)}`);
    expect(end.text).not.toMatch(/Too big|expected string|invalid_|<=/);
  });
});

describe("an answer of a command", () => {
  it.each([
    "/help",
    "/skill",
    "/skill list",
    "/skill info memory",
    "/skill runs",
    "/skill reload",
    "/agent",
    "/agent status",
    "/agent timezone",
    "/agent timezone nonsense",
    "/agent model",
    "/agent usage",
    "/agent list",
    "/flow",
    "/flow list",
    "/flow show weekly",
    "/skill nonsense",
    "/skill enable nonsense",
    "/agent reply sometimes",
  ])("the answer of the command %s is for its sender only", async (text) => {
    const { end } = await newApp().ask(text);
    expect(end.private).toBe(true);
  });

  it.each([
    "/skill enable memory",
    "/skill disable memory",
    "/skill reset memory",
    "/skill only memory",
    "/skill run memory text=x",
    "/agent use chat",
    "/agent progress full",
    "/agent steering off",
    "/agent reply always",
    "/agent timezone UTC",
    "/agent pause",
    "/agent resume",
    "/agent reset",
    "/flow run weekly",
    "/flow enable weekly",
  ])("the answer of the command %s is for the channel, but its refusal is not", async (text) => {
    const { end } = await newApp().ask(text);
    expect(end).toMatchObject({ outcome: "completed" });
    expect(end.private).toBeUndefined();
    if (text.includes(" run ")) return;
    const refusal = (await newApp().ask(text, { by: ben })).end;
    expect(refusal).toMatchObject({ outcome: "failed", private: true });
    expect(refusal.text).toMatch(/manager/);
  });
});

it("an unknown command is called unknown before the existing ones are listed", async () => {
  const { ask } = createTestApp(scriptedModel(["-"]));
  const { end } = await ask("/agent nonsense");
  expect(end.text).toMatch(/^There is no command \/agent nonsense\.[\s\S]*`\/agent status`/);
});

describe("values of a skill", () => {
  const parameters: JsonSchema = {
    type: "object",
    properties: { text: { type: "string" }, kind: { type: "string" } },
    required: ["text"],
  };
  const echo = testSkill("echo", [{ name: "echo", parameters, run: (input) => JSON.stringify(input) }]);

  it.each(['text="two words" kind=plain', "text=“two words” kind=plain", "kind=“plain” text=„two words“"])(
    "values of a skill may be quoted as keyboards do: %s",
    async (values) => {
      const { end } = await newApp({ skills: [echo] }).ask(`/skill run echo ${values}`);
      expect(JSON.parse(end.text)).toEqual({ text: "two words", kind: "plain" });
    },
  );
});

describe("a family of commands", () => {
  it("a command family, alone or with help, shows its own commands", async () => {
    const { ask } = newApp();
    for (const text of ["/flow", "/flow help", "/knack flow", "@Knack flow help"]) {
      const { end } = await ask(text);
      expect(end.text).toContain("/flow run");
      expect(end.text).not.toContain("/skill");
    }
    expect((await ask("/skill run memory I need help")).end.text).toContain("I need help");
  });

  it("a command family calls direct messages by their name", async () => {
    const { ask } = newApp();
    for (const [text, done] of [
      ["/skill enable memory", "**memory** is enabled"],
      ["/flow disable weekly", "**weekly** is disabled"],
      ["/agent use chat", "**chat** answers"],
    ] as const) {
      expect((await ask(text)).end.text).toContain(`${done} in this channel`);
      const terminal = await ask(text, { namespace: "console:local:dm", thread: "main" });
      expect(terminal.end.text).toContain(`${done} in this channel`);
      const direct = await ask(text, { namespace: "slack:T1:dm-U1", thread: "dm" });
      expect(direct.end.text).toContain(`${done} in our direct messages`);
    }
  });

  it("a message that is no known command is told the command for help, in words that every platform takes", async () => {
    const { end } = await newApp().ask("/knack hello there");
    expect(end.text).toContain("`/knack help`");
  });

  it("a command family is offered by the kinds that exist, before anything is typed", async () => {
    const { app } = newApp();
    const all = (await app.complete("/", home.namespace)).map(({ text }) => text.trim());
    expect(all.slice(0, 4).toSorted()).toEqual(["/agent status", "/flow list", "/mcp list", "/skill list"]);
  });

  it("a command family is completed", async () => {
    const { app } = newApp();
    const texts = async (typed: string) =>
      (await app.complete(typed, home.namespace)).map(({ text }) => text);
    expect(await texts("/agent re")).toEqual(["/agent resume", "/agent reply ", "/agent reset"]);
    expect(await texts("/agent reply t")).toContain("/agent reply thread");
    expect(await texts("/flow run ")).toEqual(["/flow run weekly"]);
  });
});

describe("flows", () => {
  it("the flow commands list the skills that are flows", async () => {
    const { ask } = newApp();
    const { end } = await ask("/flow list");
    expect(end.text).toContain("weekly");
    expect(end.text).not.toContain("memory");
    expect((await ask("/flow run weekly")).end.text).toBe("report");
    expect((await ask("/flow run memory")).end.text).toContain("is a skill, not a flow");
  });

  it("the flow commands say so when there are no flows", async () => {
    const { ask } = newApp({ skills: [] });
    for (const text of ["/flow list", "/flow run x"]) {
      expect((await ask(text)).end.text).toContain("There are no flows yet");
    }
  });
});

describe("the settings of a channel", () => {
  it("spoken commands also change the settings of a channel, and a reset does not touch skills", async () => {
    const { app, ask } = newApp();
    await ask("@Knack agent reply always");
    await ask("/skill enable memory");
    await ask("/agent progress quiet");
    await ask("/agent pause");
    const { settings } = await channelOf(app, home.namespace);
    expect(settings).toMatchObject({ reply: "always", progress: "quiet", paused: { by: "ada" } });
    expect((await ask("/agent status")).end.text).toMatch(/Paused.*always/s);
    await ask("/agent reset");
    const after = await channelOf(app, home.namespace);
    expect(after.settings).toEqual({ progress: "steps", while_running: "steer" });
    expect(after.pinned).toContain("memory");
    await ask("/agent reply mention");
    await ask("/agent reply default");
    expect((await channelOf(app, home.namespace)).settings.reply).toBeUndefined();
  });

  it("the settings of a channel keep who paused it first", async () => {
    const { app, ask } = newApp();
    await ask("/agent pause");
    await ask("/agent pause", { by: { id: "mia", name: "Mia", trust: "manager" } });
    expect((await channelOf(app, home.namespace)).settings.paused?.by).toBe("ada");
  });
});

describe("a message that cannot be answered", () => {
  it("a message in a paused channel is told how to resume, without the model, and commands still work", async () => {
    const model = scriptedModel(["An answer."]);
    const { ask } = createTestApp(model, { skills });
    await ask("/agent pause");
    const { end, events } = await ask("hello");
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain("/agent resume");
    expect(events.map((event) => event.type)).toEqual(["inbound", "turn_started", "error", "turn_finished"]);
    expect(model.requests).toEqual([]);
    await ask("/agent resume");
    expect((await ask("hello")).end.text).toBe("An answer.");
  });

  it("a message from a chat platform without a model is told so; the console keeps the offline provider", async () => {
    const model = scriptedModel(["An answer."], { generative: false });
    const { ask, chat } = createTestApp(model);
    chat.connect(createFakePlatform());
    const origin = { message: "m1", said_at: Date.now(), files: [], in_thread: false };
    const there = { origin, namespace: "fake:team:general" };
    const { end, events } = await ask("hello", there);
    expect(events.find((event) => event.type === "error")).toMatchObject({ code: "not_configured" });
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toMatch(/KNACK_MODEL.*Commands work/s);
    expect((await ask("/help", { ...there, by: ada })).end.outcome).toBe("completed");
    expect((await ask("hello")).end.text).toBe("An answer.");
  });
});

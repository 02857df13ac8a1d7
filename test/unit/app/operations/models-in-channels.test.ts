import { describe, expect, it } from "vitest";
import type { Models } from "../../../../src/core/ports/model.ts";
import type { Effort } from "../../../../src/core/values/message.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { changeSettings } from "../../../support/bot/ask-app.ts";
import { type Asked, recordingModel } from "../../../support/models/recording-model.ts";
import { type ScriptedModel, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { isSummary } from "../../../support/models/summarising-model.ts";
import { ben, createTestApp, type TestAppOptions } from "../../../support/test-app.ts";

const ids = ["vendor/big", "vendor/small", "other/model"] as const;
type Id = (typeof ids)[number];

/** Three models, of which the first is the configured one and the second is for small work. */
function shelf(
  script: Parameters<typeof scriptedModel>[0] = ["ok"],
): Models & { asked(id: Id): ScriptedModel["requests"] } {
  const models = new Map(ids.map((id) => [id as string, scriptedModel(script, { id })]));
  const get = (name: string) => {
    const model = models.get(name);
    if (model === undefined) throw new Error(`${name} is not there`);
    return model;
  };
  return {
    main: get("vendor/big"),
    proposals: () => ids.map((name) => ({ name, description: `the price of ${name}` })),
    named: get,
    small: () => get("vendor/small"),
    choose: (name) =>
      models.has(name)
        ? { ok: true, name, ...(name === "other/model" ? { note: "It sees no pictures." } : {}) }
        : { ok: false, message: `There is no model ${name}.` },
    asked: (id) => get(id).requests,
  };
}

function bot(models: Models, options: TestAppOptions = {}) {
  return createTestApp(models.main, { ...options, models });
}

describe("the model of a channel", () => {
  it("the model of a channel is the configured one until its managers choose another", async () => {
    const models = shelf();
    const { ask } = bot(models);
    await ask("hi");
    expect((await ask("/agent model other/model")).end.text).toBe(
      "**other/model** answers in this channel from the next message on. It sees no pictures.",
    );
    const { events } = await ask("hi again");
    expect(models.asked("vendor/big")).toHaveLength(1);
    expect(models.asked("other/model")).toHaveLength(1);
    expect(events.find(({ type }) => type === "turn_started")).toMatchObject({ model: "other/model" });
  });

  it("the model of a channel does not apply to other channels", async () => {
    const models = shelf();
    const { ask } = bot(models);
    await ask("/agent model other/model");
    await ask("hi", { namespace: "console:local:random" });
    expect(models.asked("other/model")).toEqual([]);
  });

  it("a changed model continues the same conversation", async () => {
    const models = shelf(["first", "second"]);
    const { ask } = bot(models);
    await ask("one");
    await ask("/agent model other/model");
    await ask("two");
    const texts = models.asked("other/model")[0]?.messages.map(({ text }) => text) ?? [];
    expect(texts.join(" ")).toMatch(/one.*first.*two/);
  });

  it("the model of a channel is shown with who chose it, in its own command and in the status", async () => {
    const { ask } = bot(shelf());
    expect((await ask("/agent model")).end.text).toContain("The model in this channel is **vendor/big**.");
    expect((await ask("/agent model")).end.text).toContain("small work go to **vendor/small**");
    await ask("/agent model other/model");
    expect((await ask("/agent model")).end.text).toContain("**other/model** (chosen here)");
    expect((await ask("/agent status")).end.text).toContain("Model: **other/model** (chosen here)");
  });

  it.each([
    ["/agent model other/model", "Only managers of this channel"],
    ["/agent effort high", "Only managers of this channel"],
  ])("the model of a channel is not changed by others: %s", async (command, words) => {
    const models = shelf();
    const { ask } = bot(models);
    const { end } = await ask(command, { by: ben });
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain(words);
    await ask("hi");
    expect(models.asked("vendor/big")).toHaveLength(1);
  });

  it("an unknown model cannot be chosen for a channel", async () => {
    const models = shelf();
    const { ask } = bot(models);
    expect((await ask("/agent model vendor/huge")).end).toMatchObject({
      outcome: "failed",
      text: "There is no model vendor/huge.",
    });
    await ask("hi");
    expect(models.asked("vendor/big")).toHaveLength(1);
  });

  it.each(["/agent model default", "/agent reset"])(
    "the model of a channel is the configured one again after %s",
    async (command) => {
      const models = shelf();
      const { ask } = bot(models);
      await ask("/agent model other/model");
      await ask(command);
      await ask("hi");
      expect(models.asked("vendor/big")).toHaveLength(1);
    },
  );

  it("a model is proposed while its name is typed, with its price", async () => {
    const { app } = bot(shelf());
    const proposed = await app.complete("/agent model vendor", "console:local:general");
    expect(proposed.map(({ label, description }) => [label, description])).toEqual([
      ["vendor/big", "the price of vendor/big"],
      ["vendor/small", "the price of vendor/small"],
    ]);
  });

  it("programs also set the model of a channel, and it is checked there", async () => {
    const { app, by } = withOperator();
    const change = (model: string) => changeSettings(app, "console:local:general", { model }, by);
    expect(await change("nonsense")).toMatchObject({ ok: false, status: 400 });
    expect(await change("other/model")).toMatchObject({
      ok: true,
      value: { settings: { model: "other/model" } },
    });
  });
});

function withOperator() {
  return { app: bot(shelf()).app, by: { id: "op", name: "Op", trust: "operator" as const } };
}

describe("an agent with a model of its own", () => {
  const profiles: [Profile, ...Profile[]] = [
    { id: "chat", description: "Chats.", prompt: "You chat." },
    { id: "research", description: "Reads.", prompt: "You research.", model: "other/model", effort: "high" },
  ];

  it("an agent with its own model works with it when another agent asks it", async () => {
    const models = shelf(({ messages, system }) =>
      toolResults(messages).length > 0 || system.includes("You research.")
        ? "found"
        : [{ call: "handoff", with: { to: "research", reason: "look" } }],
    );
    const { ask } = bot(models, { profiles });
    await ask("look this up");
    expect(models.asked("vendor/big")).toHaveLength(2);
    expect(models.asked("other/model")).toHaveLength(1);
  });

  it("an agent with its own model works with what the channel's managers chose instead", async () => {
    const models = shelf();
    const { ask } = bot(models, { profiles });
    await ask("/agent use research");
    expect((await ask("/agent model")).end.text).toContain("**other/model** (of the agent research)");
    await ask("/agent model vendor/small");
    await ask("hi");
    expect(models.asked("vendor/small")).toHaveLength(1);
    expect(models.asked("other/model")).toEqual([]);
  });
});

describe("the model for small work that is shown", () => {
  it("the shown small model belongs to the model of the channel's agent", async () => {
    const models: Models = { ...shelf(), small: ({ id }) => ({ ...shelf().main, id: `${id}-small` }) };
    const profiles: [Profile, ...Profile[]] = [
      { id: "chat", description: "Chats.", prompt: "" },
      { id: "research", description: "Reads.", prompt: "", model: "other/model" },
    ];
    const { ask } = bot(models, { profiles });
    expect((await ask("/agent model")).end.text).toContain("**vendor/big-small**");
    await ask("/agent use research");
    expect((await ask("/agent model")).end.text).toContain("**other/model-small**");
  });
});

describe("effort", () => {
  const profiles: [Profile, ...Profile[]] = [
    { id: "chat", description: "Chats.", prompt: "" },
    { id: "research", description: "Reads.", prompt: "", effort: "high" },
  ];

  it.each<[string, Effort | undefined, string[], Effort | undefined]>([
    ["the provider's own", undefined, [], undefined],
    ["as configured", "low", [], "low"],
    ["the agent's", "low", ["/agent use research"], "high"],
    ["the channel's", "low", ["/agent use research", "/agent effort max"], "max"],
    ["as configured again", "low", ["/agent effort max", "/agent effort default"], "low"],
  ])("effort is %s", async (_, effort, commands, expected) => {
    const model = recordingModel(scriptedModel(["ok"]), () => []);
    const { ask } = createTestApp(model, { profiles, ...(effort === undefined ? {} : { effort }) });
    for (const command of commands) await ask(command);
    await ask("hi");
    expect(model.asked[0]?.effort).toBe(expected);
  });

  it("effort changes in a running conversation by a message at its end", async () => {
    const model = recordingModel(scriptedModel(["ok"]), () => []);
    const { ask } = createTestApp(model);
    const efforts = ({ messages }: Asked) =>
      messages.flatMap((message) => (message.role === "system" ? [message.effort] : []));
    await ask("one");
    await ask("/agent effort high");
    await ask("two");
    expect(model.asked[1]?.effort).toBeUndefined();
    expect(efforts(model.asked[1] as Asked)).toEqual(["high"]);
    await ask("/agent effort default");
    await ask("three");
    expect(efforts(model.asked[2] as Asked)).toEqual(["high", "medium"]);
  });

  it.each(["/agent effort extreme", "/agent effort HIGH!"])(
    "an unknown effort is answered with the known words: %s",
    async (command) => {
      const { end } = await createTestApp(scriptedModel(["ok"])).ask(command);
      expect(end.text).toContain("Choose one of: none, minimal, low, medium, high, xhigh, max, default.");
    },
  );
});

describe("small work", () => {
  it("small work goes to the small model, and its cost counts", async () => {
    const models = shelf(["a long answer ".repeat(300)]);
    const { ask } = bot(models, { limits: { transcript_tokens: 2_500 } });
    for (const text of ["one", "two", "three", "four"]) await ask(`${text} ${"word ".repeat(200)}`);
    expect(models.asked("vendor/small").some(isSummary)).toBe(true);
    expect(models.asked("vendor/big").some(isSummary)).toBe(false);
  });
});

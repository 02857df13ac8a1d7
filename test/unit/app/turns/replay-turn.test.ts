import { describe, expect, it } from "vitest";
import type { Model, ModelRequest, Models } from "../../../../src/core/ports/model.ts";
import { ModelError } from "../../../../src/core/ports/model.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { forgetTurn } from "../../../support/bot/ask-app.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

const usage = { input_tokens: 100, output_tokens: 20, cost_usd: 0.5 };
const lookUp = { call: "look", with: { text: "rain" } };

const sea = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
const painter = testSkill(
  "paint",
  [
    {
      name: "paint",
      run: async (_input, { file }) => {
        await file({ name: "sea.png", media_type: "image/png", data: sea });
        return "painted";
      },
    },
  ],
  { active: true },
);
const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "maker", description: "Makes.", prompt: "You make." },
];

/** A bot that answered with its main model, and another model that may replay. */
function createBot(main: Model, other: Model) {
  const ran: unknown[] = [];
  const named: unknown[] = [];
  const noted: object[] = [];
  const run = (input: unknown) => {
    ran.push(input);
    return "It rains.";
  };
  const models: Models = {
    main,
    proposals: () => [],
    named(name, how) {
      named.push([name, how]);
      return name === other.id ? other : main;
    },
    small: () => main,
    choose: (name) =>
      name === other.id
        ? { ok: true, name }
        : { ok: false, message: `The model ${name} is not allowed here.` },
  };
  const skills = [
    testSkill(
      "weather",
      [
        { name: "look", run },
        { name: "send", effect: "side_effect", run },
      ],
      { active: true },
    ),
    painter,
  ];
  const logged = (fields: object) => void noted.push(fields);
  const app = createTestApp(main, { models, skills, profiles, logged });
  const replay = (id: string, { by = ada, model = other.id }: { by?: Author; model?: string } = {}) =>
    app.app.run("turn.replay", { input: { id, model }, asker: { by, namespace: home.namespace } });
  return { ...app, replay, ran, named, noted };
}

/** Its main model looks once and answers; `script` is what the other one does. */
async function replayed(script: Parameters<typeof scriptedModel>[0]) {
  const main = scriptedModel([[lookUp], "Take an umbrella."], { usage });
  const other = scriptedModel(script, { id: "other/model", usage: { input_tokens: 7, output_tokens: 3 } });
  const bot = createBot(main, other);
  const { turnId } = await bot.ask("umbrella?");
  const stored = await bot.log.read(turnId);
  const outcome = await bot.replay(turnId);
  if (!outcome.ok) throw new Error(outcome.message);
  return { ...bot, ...outcome.value, turnId, stored, other, main };
}

describe("a turn on another model", () => {
  it("a replay has the messages, tools and results that it had, and both answers with calls, cost and time", async () => {
    const { recorded, replayed: again, other, main, ran, named } = await replayed([[lookUp], "Yes."]);
    expect(recorded).toMatchObject({
      ...{ model: "scripted/model", text: "Take an umbrella.", rounds: 2 },
      calls: [{ tool: "look", arguments: { text: "rain" }, recorded: true }],
      usage: { input_tokens: 200, output_tokens: 40, cost_usd: 1 },
    });
    expect(again).toMatchObject({
      ...{ model: "other/model", text: "Yes.", rounds: 2 },
      calls: [{ tool: "look", arguments: { text: "rain" }, recorded: true }],
      usage: { input_tokens: 14, output_tokens: 6, unpriced_tokens: 20 },
    });
    const [first, second] = other.requests;
    expect(first?.messages).toEqual(main.requests[0]?.messages);
    expect([first?.system, first?.tools]).toEqual([main.requests[0]?.system, main.requests[0]?.tools]);
    expect(second?.messages.at(-1)).toMatchObject({ role: "tool", text: "It rains.", is_error: false });
    expect(ran).toHaveLength(1);
    expect(named.at(-1)).toEqual(["other/model", { alone: true }]);
  });

  it("a replay runs nothing for a call that was not recorded, says so to the model, and marks it [record-4]", async () => {
    const send = { call: "send", with: { text: "rain" } };
    const { replayed: again, other, ran, log, turnId, stored } = await replayed([[send, lookUp], "Sent."]);
    expect(again.calls.map(({ tool, recorded }) => [tool, recorded])).toEqual([
      ["send", false],
      ["look", true],
    ]);
    expect(other.requests[1]?.messages.at(-2)).toMatchObject({ role: "tool", is_error: true });
    expect(other.requests[1]?.messages.at(-2)?.text).toMatch(/^Not recorded/);
    expect(ran).toHaveLength(1);
    expect(await log.read(turnId)).toEqual(stored);
    expect(await log.list({})).toHaveLength(1);
  });

  it("a replay takes arguments in any order as the same call, and gives a repeated call its results again", async () => {
    const raw = [{ call: "look", raw: '{ "text" : "rain" }' }];
    const { replayed: again } = await replayed([raw, [lookUp], "Still."]);
    expect(again.calls.map(({ recorded }) => recorded)).toEqual([true, true]);
  });

  it.each<[string, Parameters<typeof scriptedModel>[0], object]>([
    [
      "fails",
      [new ModelError("context_too_long", "Too long.")],
      { code: "context_too_long", message: "Too long." },
    ],
    ["never answers", [[lookUp]], { code: "limit_reached", message: expect.stringContaining("20 rounds") }],
  ])("a model that %s is the result of its replay", async (_what, script, error) => {
    const { replayed: again } = await replayed(script);
    expect(again).toMatchObject({ text: "", error });
  });

  it("a replay leaves out the reasoning of the model that answered, also of earlier turns", async () => {
    const provider_blocks = { provider: "scripted", model: "m", blocks: ["signed thought"] };
    const plain = scriptedModel([[lookUp], "Wet.", "Dry."]);
    const main: Model = {
      ...plain,
      async *stream(request) {
        for await (const event of plain.stream(request))
          yield event.type === "finished"
            ? { ...event, message: { ...event.message, provider_blocks } }
            : event;
      },
    };
    const other = scriptedModel(["Maybe."], { id: "other/model" });
    const { ask, replay } = createBot(main, other);
    await ask("today?");
    const { turnId } = await ask("tomorrow?");
    expect(await replay(turnId)).toMatchObject({ ok: true });
    const sent = JSON.stringify(other.requests[0]?.messages);
    expect(sent).toContain("It rains.");
    expect(sent).not.toContain("signed thought");
  });

  it("a replay shows the pictures of recorded results, and says which are no longer stored", async () => {
    const lines = [[{ call: "paint" }], "Painted."];
    const other = scriptedModel(
      (request) => (request.messages.at(-1)?.role === "tool" ? "Seen." : [{ call: "paint" }]),
      { id: "other/model" },
    );
    const { ask, replay, files } = createBot(scriptedModel(lines), other);
    const { turnId } = await ask("paint the sea");
    expect(await replay(turnId)).toMatchObject({ ok: true, value: { notes: [] } });
    const image = { media_type: "image/png", base64: Buffer.from(sea).toString("base64") };
    expect(other.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "tool", images: [image] });
    files.get = async () => undefined;
    const notes = ["The picture sea.png is no longer stored."];
    expect(await replay(turnId)).toMatchObject({ ok: true, value: { notes, replayed: { text: "Seen." } } });
  });

  it("a replay says which tools the provider of the other model refused", async () => {
    const plain = scriptedModel(["Dry."], { id: "other/model" });
    const other: Model = {
      ...plain,
      async *stream(request) {
        yield { type: "left_out", model: plain.id, tools: [{ name: "look", why: "too deep" }] };
        yield* plain.stream(request);
      },
    };
    const { ask, replay } = createBot(scriptedModel(["Wet."]), other);
    const { turnId } = await ask("umbrella?");
    const notes = ["It did not get the tool look, because its provider refuses it: too deep"];
    expect(await replay(turnId)).toMatchObject({ ok: true, value: { notes } });
  });

  it("a replay of work in the background has its task and its own results", async () => {
    const task = { call: "handoff", with: { to: "maker", reason: "look for rain", background: true } };
    const lines = ({ system, messages }: ModelRequest) => {
      const isAnswered = messages.at(-1)?.role === "tool";
      if (system.includes("You make.")) return isAnswered ? "Wet." : [lookUp];
      return isAnswered ? "Begun." : [task];
    };
    const other = scriptedModel([[lookUp], "Dry."], { id: "other/model" });
    const { ask, replay, events } = createBot(scriptedModel(lines), other);
    const begun = await ask("umbrella?");
    const [id = ""] = begun.events.flatMap((event) =>
      event.type === "handoff" ? (event.background ?? []) : [],
    );
    await events(id);
    expect(await replay(id)).toMatchObject({
      ok: true,
      value: {
        recorded: { text: "Wet.", calls: [{ tool: "look", recorded: true }] },
        replayed: { text: "Dry.", calls: [{ tool: "look", recorded: true }] },
      },
    });
    expect(other.requests[0]?.system).toContain("You make.");
    expect(other.requests[0]?.messages.at(-1)?.text).toContain("look for rain");
  });

  it("a replay is in the audit", async () => {
    const { turnId, noted } = await replayed(["Yes."]);
    const fields = { audit: true, action: "turn_replayed", by: "ada", subject: turnId };
    expect(noted).toContainEqual(expect.objectContaining(fields));
  });
});

describe("a turn that cannot be replayed", () => {
  const bot = () =>
    createBot(scriptedModel([[lookUp], "Wet."]), scriptedModel(["Yes."], { id: "other/model" }));

  it.each<[string, (app: ReturnType<typeof bot>, id: string) => Promise<unknown>, object]>([
    ["by a member", ({ replay }, id) => replay(id, { by: ben }), { status: 403 }],
    [
      "on a model that is not allowed",
      ({ replay }, id) => replay(id, { model: "big/one" }),
      { status: 400, message: expect.stringContaining("not allowed") },
    ],
    ["that does not exist", ({ replay }) => replay("none"), { status: 404 }],
    [
      "that was deleted",
      async ({ app, replay }, id) => [await forgetTurn(app, id, ada), await replay(id)][1],
      { status: 409, message: expect.stringContaining("was deleted") },
    ],
    [
      "without its results",
      async ({ log, replay }, id) => [await log.removeDetails([id], 1), await replay(id)][1],
      { status: 409, message: expect.stringContaining("run details") },
    ],
    [
      "of a command",
      async ({ ask, replay }) => replay((await ask("/skill list", { by: ada })).turnId),
      { status: 409, message: expect.stringContaining("No model answered") },
    ],
  ])("a turn that cannot be replayed says why: one %s", async (_which, act, refusal) => {
    const app = bot();
    const { turnId } = await app.ask("umbrella?");
    expect(await act(app, turnId)).toMatchObject({ ok: false, ...refusal });
  });

  it("a turn cannot be replayed after one that was deleted since, but not the one before it", async () => {
    const { app, ask, replay } = bot();
    const before = await ask("one?");
    const deleted = await ask("two?");
    const after = await ask("three?");
    await forgetTurn(app, deleted.turnId, ada);
    expect(await replay(before.turnId)).toMatchObject({ ok: true });
    expect(await replay(after.turnId)).toMatchObject({ ok: false, status: 409 });
  });

  it("a private turn of somebody else cannot be replayed [record-4]", async () => {
    const app = bot();
    const { turnId } = await app.ask("umbrella?", { by: ben });
    const events = await app.log.read(turnId);
    const [end] = events.slice(-1);
    const seq = (end?.seq ?? 0) + 1;
    const read = app.log.read.bind(app.log);
    app.log.read = async (...given) => [
      ...(await read(...given)),
      { type: "answer_private", because: "it was read", turn_id: turnId, seq, at: 1 },
    ];
    expect(await app.replay(turnId)).toMatchObject({
      ok: false,
      status: 403,
      message: expect.stringContaining("Ben alone"),
    });
  });
});

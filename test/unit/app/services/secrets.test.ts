import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { Model, ModelEvent } from "../../../../src/core/ports/model.ts";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { exited, fakeCode } from "../../../support/fakes/fake-code.ts";
import { attached } from "../../../support/fakes/folder-code.ts";
import { createMemoryKnowledge } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const secret = "sk-very-secret-value";
/** More of the secret than people would take for chance. */
const telling = /sk-ver|t-value/;
const secrets = [secret];

/** What those who watch a turn see of a model that streams this. */
async function watched(...streamed: readonly ModelEvent[]) {
  const clock = createFakeClock();
  const text = streamed.map((event) => (event.type === "text" ? event.text : "")).join("");
  const model: Model = {
    id: "vendor/big",
    generative: true,
    async *stream() {
      for (const event of streamed) {
        yield event;
        clock.advance(1_000);
      }
      yield {
        type: "finished",
        message: { role: "assistant", text, tool_calls: [] },
        usage: { input_tokens: 1, output_tokens: 1 },
        model: "vendor/big",
      };
    },
  };
  const { events } = await createTestApp(model, { secrets, clock }).ask("go");
  return events;
}

const said = (text: string): ModelEvent => ({ type: "text", text });
const thought = (text: string): ModelEvent => ({ type: "thought", text });
const textOf = (events: readonly TurnEvent[]) =>
  events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");

/** What is seen, stored and told to the model of one call of a skill. */
async function called(run: (context: ToolContext) => Promise<Json> | Json, options: TestAppOptions = {}) {
  const skill = testSkill("leak", [{ name: "leak", run: (_, context) => run(context) }], { active: true });
  const model = scriptedModel([[{ call: "leak" }], "Done."]);
  const { ask, log, errors } = createTestApp(model, { skills: [skill], secrets, ...options });
  const { events, turnId } = await ask("go");
  expect(errors).toEqual([]);
  const [result = ""] = toolResults(model.requests[1]?.messages ?? []);
  return { events, stored: JSON.stringify(await log.read(turnId)), result };
}

describe("a secret that is streamed", () => {
  it.each([1, 8, 19])(
    "a streamed secret does not leave in pieces, cut after %i characters [secret-1]",
    async (at) => {
      const events = await watched(said(`the key is ${secret.slice(0, at)}`), said(`${secret.slice(at)} ok`));
      expect(textOf(events)).toBe("the key is [secret] ok");
    },
  );

  it("a streamed secret does not leave in pieces, character by character and at the very end", async () => {
    const events = await watched(...`the key is ${secret}`.split("").map(said));
    expect(textOf(events)).toBe("the key is [secret]");
  });

  it("a streamed secret leaves nothing behind when its first half is void", async () => {
    const events = await watched(said("the key is sk-very-"), { type: "reset" }, said("it's secret-value"));
    expect(textOf(events)).toBe("the key is it's secret-value");
  });

  it("text that turns out not to be a secret is not held back", async () => {
    expect(textOf(await watched(said("no sk-very"), said("-secret")))).toBe("no sk-very-secret");
  });

  it.each([
    ["in pieces", ["I send sk-very-", "secret-value. "], /^I send \[secret\]\.$/],
    ["where the line is cut", [`${"I ".repeat(75)}${secret}-${secret}. `], /^I I .*…$/],
  ])("a secret is in no thought, %s", async (_, thoughts, line) => {
    const events = await watched(...thoughts.map(thought));
    const lines = events.flatMap((event) => (event.type === "model_thought" ? event.text : []));
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(lines[0]).not.toMatch(telling);
  });
});

describe("a secret that a tool comes by", () => {
  it("a secret is in no progress note, even where the note is cut", async () => {
    const { events } = await called((context) => {
      context.progress(`with ${secret}`);
      context.progress(`${"x".repeat(990)}${secret}`);
      return "ok";
    });
    const notes = events.flatMap((event) => (event.type === "tool_progress" ? event.note : []));
    expect(notes[0]).toBe("with [secret]");
    expect(notes[1]).toMatch(/^x{990}/);
    expect(notes.join("\n")).not.toMatch(telling);
  });

  it("a secret is not cut in two in a result that is too long for the model", async () => {
    const { events, stored, result } = await called(() => `${secret} `.repeat(3_000));
    expect(result).toContain("[cut: ");
    for (const text of [result, stored, JSON.stringify(events)]) expect(text).not.toMatch(telling);
  });

  it("a secret is not cut in two by the title of a call", async () => {
    const inner = testSkill("inner", [
      { name: "inner", title: (input) => JSON.stringify(input).slice(0, 24) },
    ]);
    const outer = testSkill(
      "outer",
      [
        {
          name: "outer",
          run: (_, context) => context.invoke("inner", { text: `for ${secret}` }).then(() => "ok"),
        },
      ],
      { active: true },
    );
    const model = scriptedModel([[{ call: "outer" }], "Done."]);
    const { events } = await createTestApp(model, { skills: [inner, outer], secrets }).ask("go");
    const titles = events.flatMap((event) => (event.type === "tool_started" ? event.title : []));
    expect(titles).toEqual(["Running outer", '{"text":"for [secret]"}']);
  });

  it("a secret is not cut in two by the end of what code may print", async () => {
    const code = fakeCode(async ({ onLine }) => {
      onLine?.(`${"x".repeat(190)}${secret}`);
      return exited("key: sk-very-", { truncated: true, stderr: "key: sk-very-s" });
    });
    const model = scriptedModel([[{ call: "run_code", with: { language: "bash", code: "env" } }], "Done."]);
    const { events } = await createTestApp(model, { code, secrets }).ask("go");
    const notes = events.flatMap((event) => (event.type === "tool_progress" ? event.note : []));
    expect(notes).toEqual([expect.stringMatching(/^x{190}\[secret\]$/)]);
    const [result] = toolResults(model.requests[1]?.messages ?? []);
    expect(result).toMatch(/^\[cut: the program [^\n]*\nkey:\n\[error output: key:\]/);
  });

  it("a secret is not cut in two by the pages of a file", async () => {
    const pages = [0, 8_000].map((offset) => ({
      call: "read_file",
      with: { path: "input/long.txt", offset },
    }));
    const model = scriptedModel([pages, "Done."]);
    const app = createTestApp(model, { secrets, limits: { tool_output_tokens: 9_000 } });
    const text = `${"x".repeat(7_990)}${secret}${"y".repeat(100)}`;
    await app.folders.of(home).attach(attached("long.txt", text), { turn_id: "earlier" });
    await app.ask("go");
    const [first = "", second = ""] = toolResults(model.requests[1]?.messages ?? []);
    expect(first).toMatch(/\nx{7990}/);
    expect(second).toMatch(/\ny{98}$/);
    expect(first + second).not.toMatch(telling);
  });

  it("a secret is not cut in two by a skill that takes a part of a page or file", async () => {
    const page = { url: "https://a.example/", title: "A", text: `page ${secret}`, length: 25 };
    const web = { fetch: () => Promise.reject(new Error("none")), read: async () => page };
    const attach = async (options: TestAppOptions) => {
      const app = createTestApp(scriptedModel([[{ call: "leak" }], "Done."]), options);
      await app.folders.of(home).attach(attached("a.txt", `file ${secret}`), { turn_id: "earlier" });
      return app;
    };
    const parts: string[] = [];
    const run = async (_: Json, { web: pages, threadFiles }: ToolContext) => {
      parts.push((await pages.read(page.url)).text.slice(0, 12));
      const content = await threadFiles.content("a.txt");
      parts.push(content.kind === "text" ? content.text.slice(0, 12) : content.kind);
      return "ok";
    };
    const skills = [testSkill("leak", [{ name: "leak", run }], { active: true })];
    const { ask, errors } = await attach({ skills, secrets, web });
    await ask("go");
    expect(errors).toEqual([]);
    expect(parts).toEqual(["page [secret", "file [secret"]);
  });

  it("a secret is in no learned document", async () => {
    const knowledge = createMemoryKnowledge();
    await called(
      async ({ knowledge: channel }) => {
        const pieces = [{ text: `The key is ${secret}.`, place: "" }];
        await channel?.add({ title: `Key ${secret}`, source: `keys/${secret}.txt` }, pieces);
        return "ok";
      },
      { means: { knowledge } },
    );
    const [document] = await knowledge.list(home.namespace);
    expect(document).toMatchObject({ title: "Key [secret]", source: "keys/[secret].txt" });
    const found = await knowledge.search(home.namespace, { words: "key", most: 5 });
    expect(found.map(({ text }) => text)).toEqual(["The key is [secret]."]);
  });
});

import { describe, expect, it } from "vitest";
import { forgetTurn } from "../../../support/bot/ask-app.ts";
import { bytes, callable, fileOf } from "../../../support/bot/called-bot.ts";
import { ask, createWorld, general } from "../../../support/fakes/chat-world.ts";
import { type Line, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp, home } from "../../../support/test-app.ts";

const long = Array.from(
  { length: 2_000 },
  (_, at) => `order ${at} is ${at % 900 === 42 ? "late" : "on time"}`,
);
const skill = testSkill("orders", [{ name: "orders", run: () => long.join("\n") }], { active: true });

/** The path in the note at a cut. */
const cutNote = /read_file\(path: "([^"]+)"/;

/** A bot that calls the tool in its first turn, and reads with these arguments in the second one. */
function bot(...reads: object[]) {
  const script: Line[] = [
    [{ call: "orders", id: "first" }],
    "Done.",
    reads.map((read) => ({ call: "read_file", with: read })),
    "Read.",
  ];
  const model = scriptedModel(script);
  const app = createTestApp(model, { skills: [skill] });
  return { ...app, results: () => toolResults(model.requests.at(-1)?.messages ?? []).slice(-reads.length) };
}

describe("a long result of a tool", () => {
  const listed = async (app: ReturnType<typeof createTestApp>) => (await app.folders.of(home).list()).files;

  it("a long result of a tool is a file of the thread, which the note at the cut names", async () => {
    const rows = { rows: Array.from({ length: 900 }, (_, at) => ({ at, late: at % 3 === 0 })) };
    const json = testSkill("rows", [{ name: "rows", run: () => rows }], { active: true });
    const model = scriptedModel(({ messages }): Line => {
      const results = toolResults(messages);
      if (results.length > 2) return "Done.";
      const cut = cutNote.exec(results[0] ?? "")?.[1];
      return cut === undefined
        ? [{ call: "orders" }, { call: "rows" }]
        : [{ call: "read_file", with: { path: cut, search: "late" } }];
    });
    const app = createTestApp(model, { skills: [skill, json] });
    const { events } = await app.ask("List the orders");
    const [orders, table] = toolResults(model.requests[1]?.messages ?? []);
    expect(cutNote.exec(orders ?? "")?.[1]).toMatch(/^\/workspace\/output\/orders-result-\w+\.txt$/);
    const path = cutNote.exec(table ?? "")?.[1] ?? "";
    expect(path).toMatch(/^\/workspace\/output\/rows-result-\w+\.json$/);
    expect(toolResults(model.requests[2]?.messages ?? []).at(-1)).toContain("order 42 is late");
    expect(events.filter(({ type }) => type === "file")).toEqual([]);
    const file = await app.folders.of(home).open(path);
    const data = await file?.read(0, file.bytes);
    await file?.close();
    expect(JSON.parse(new TextDecoder().decode(data))).toEqual(rows);
  });

  it("a long result of a tool is removed with its turn", async () => {
    const { ask, app, folders } = bot();
    const { turnId } = await ask("List the orders");
    expect((await folders.of(home).list()).files).toHaveLength(1);
    await ask("And now?");
    await forgetTurn(app, turnId, { id: "ada", name: "Ada", trust: "operator" });
    expect((await folders.of(home).list()).files).toEqual([]);
  });

  it("a result of 20 MB is refused with what to do, and is no file", async () => {
    const huge = testSkill("huge", [{ name: "huge", run: () => "x".repeat(20_000_000) }], { active: true });
    const model = scriptedModel([[{ call: "huge" }], "Done."]);
    const app = createTestApp(model, { skills: [huge] });
    await app.ask("Get it");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(/answered 20000000 bytes[\s\S]*a part/);
    expect(await listed(app)).toEqual([]);
  });

  it("a long result of a private turn is no file that others of the thread could read", async () => {
    const world = createWorld([[{ call: "chat_read", with: { alone: true } }], "Done."], {
      tool_output_tokens: 50,
    });
    await ask(world, "what was said?");
    const { files } = await world.app.folders.of({ namespace: general, thread: "t1" }).list();
    expect(files).toEqual([]);
    expect(toolResults(world.model.requests[1]?.messages ?? [])[0]).toContain("[cut:");
  });
});

describe("a long text of an earlier turn of the thread", () => {
  it("a long text of an earlier turn is searched, and read by offset and by line", async () => {
    const { ask, results } = bot(
      { path: "first", search: "LATE" },
      { path: "first", line: 1_999 },
      { path: "first", line: 11, lines: 2 },
      { path: "first", offset: long.join("\n").length - 5 },
      { path: "first", search: "early" },
      { path: "first", offset: 1_000_000 },
    );
    await ask("List the orders");
    await ask("Which are late?");
    const [found, last, two, end, nothing, beyond] = results();
    expect(found).toMatch(/^\[3 of 3 matches in 2000 lines\.\]\n41- order 40 is on time\n/);
    expect(found).toContain("\n943: order 942 is late\n");
    expect(last).toMatch(
      /^\[lines 1999 to 2000 of 2000, .*; this is the end\]\norder 1998 is on time\norder 1999 is/,
    );
    expect(two).toMatch(
      /^\[lines 11 to 12 of 2000, .*; go on with offset: \d+\]\norder 10 is on time\norder 11 .*\n$/,
    );
    expect(end).toMatch(/ time$/);
    expect(nothing).toContain("“early” is not there: 2000 lines");
    expect(beyond).toContain("past_the_end");
  });

  it("a long text is gone when its turn was forgotten, and does not exist in other threads", async () => {
    const { ask, app, results } = bot({ path: "first", line: 1 });
    const { turnId } = await ask("List the orders");
    await forgetTurn(app, turnId, { id: "ada", name: "Ada", trust: "operator" });
    await ask("Which are late?");
    expect(results()[0]).toContain("There is no file or text first in this thread.");

    const other = bot({ path: "first", line: 1 });
    await other.ask("List the orders");
    await other.ask("Which are late?", { thread: "elsewhere" });
    expect(other.results()[0]).toContain("unknown_file");
  });

  it("a long text may be what a person said", async () => {
    const { ask, results } = createReader();
    await ask(`${"word ".repeat(20_000)}\nthe needle\n${"word ".repeat(20_000)}`);
    await ask("And now?");
    expect(results()[0]).toMatch(/1 of 1 matches in 3 lines[\s\S]*2: the needle/);
    await ask("And in another thread?", "elsewhere");
    expect(results()[0]).toContain("unknown_file");
  });

  it("a long text may be a file that came with a message", async () => {
    const read = [{ call: "read_file", with: { path: "/workspace/input/orders.csv", search: "late" } }];
    const model = scriptedModel(["Seen.", read, "Read."]);
    const { platform, call } = callable({ limits: { message_tokens: 300 } }, model);
    platform.files.set("f1", bytes(long.join("\n")));
    await call("Look", { files: [fileOf("f1", "orders.csv")], in_thread: false });
    await call("Which are late?", { in_thread: false });
    const [found] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(found).toContain("3 of 3 matches");
  });
});

describe("what the note at a cut says", () => {
  const readsOn = (note: RegExp) =>
    scriptedModel(({ messages }) => {
      const found = messages.flatMap(({ text }) => note.exec(text) ?? []);
      if (found.length === 0 || messages.at(-1)?.role === "tool" || messages.at(-1)?.text === "first")
        return "Done.";
      return [{ call: "read_file", with: { path: found[1], search: "needle" } }];
    });
  const filler = "hay ".repeat(2_000);

  it("the note at a cut stays valid for a message in later turns, whatever is said then", async () => {
    const model = readsOn(cutNote);
    const { ask } = createTestApp(model, { limits: { message_tokens: 300 } });
    await ask(`${filler} the needle is blue ${filler}`);
    await ask("What is it like?");
    expect(toolResults(model.requests.at(-1)?.messages ?? []).at(-1)).toContain("the needle is blue");
  });

  it("the note at a cut is valid for a message taken in while a turn ran", async () => {
    const gate = Promise.withResolvers<void>();
    const waits = testSkill("waits", [{ name: "waits", run: () => gate.promise.then(() => "done") }], {
      active: true,
    });
    const script: Line[] = [[{ call: "waits" }], "Done."];
    const model = scriptedModel(script);
    const { say, until, events, app } = createTestApp(model, {
      skills: [waits],
      limits: { message_tokens: 300 },
    });
    const first = await say("first");
    await until(first, "stage");
    const second = await say(`${filler} the needle is blue ${filler}`);
    gate.resolve();
    await events(first);
    const told = model.requests[1]?.messages.at(-1)?.text ?? "";
    expect(told.length).toBeLessThan(3_000);
    expect(cutNote.exec(told)?.[1]).toBe(`message:${second}`);
    expect((await app.turn(second))?.text).toContain("the needle is blue");
  });

  it("the note at a cut is valid for an output although the server restarts its call numbers every turn", async () => {
    const big = testSkill("big", [{ name: "big", run: (input) => `${JSON.stringify(input)} ${filler}` }]);
    const asked = (text: string): Line => [{ call: "big", with: { text }, id: "1" }];
    const model = scriptedModel([asked("one"), "Done.", asked("two"), "Done."]);
    const { ask } = createTestApp(model, { skills: [big] });
    await ask("first");
    await ask("second");
    const messages = model.requests.at(-1)?.messages ?? [];
    const ids = messages.flatMap((message) => (message.role === "tool" ? message.call_id : []));
    expect(new Set(ids).size).toBe(2);
    const named = toolResults(messages).map((text) => cutNote.exec(text)?.[1]);
    expect(new Set(named).size).toBe(2);
    expect(named.join()).toMatch(/big-result-\w+\.txt,\S+big-result-\w+\.txt$/);
  });
});

/** A bot that searches the first message of its thread in the second turn. */
function createReader() {
  let first = "";
  const model = scriptedModel(({ messages }) => {
    if (messages.at(-1)?.role === "tool" || first === "") return "Done.";
    return [{ call: "read_file", with: { path: `message:${first}`, search: "needle" } }];
  });
  const app = createTestApp(model);
  return {
    async ask(text: string, thread = "t1") {
      const { turnId } = await app.ask(text, { thread });
      if (first === "") first = turnId;
    },
    results: () => toolResults(model.requests.at(-1)?.messages ?? []),
  };
}

import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../src/core/ports/chat-platform.ts";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { bytes, callable, channel, fileOf, heard, lastSaid } from "../../../support/bot/called-bot.ts";
import { fakeDocuments } from "../../../support/fakes/fake-documents.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createIntake } from "../chat/intake/fixture.ts";

describe("the files of a message", () => {
  it("message files are shown as text in their blocks, whatever their encoding", async () => {
    const { platform, call } = callable();
    platform.files.set("f1", bytes("name;city\nAda;London"));
    platform.files.set("f2", new Uint8Array([0xff, 0xfe, 0x48, 0, 0xfc, 0]));
    platform.files.set("f3", new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
    const files = [fileOf("f1", "a.csv"), fileOf("f2", "b.txt"), fileOf("f3", "c.txt")];
    const said = await call("Look", { files, in_thread: false });
    expect(said).toContain(
      '<attached_file path="/workspace/input/a.csv" type="text/plain" note="whole">\nname;city\nAda;London\n</attached_file>',
    );
    expect(said).toContain("\nHü\n");
    expect(said).toContain("\ncafé\n");
  });

  it("message files are cut to what fits, and the cut is reported", async () => {
    const { platform, call } = callable({ limits: { message_tokens: 300 } });
    platform.files.set("f1", bytes("word ".repeat(5_000)));
    const small = "a short text, ".repeat(20).trim();
    platform.files.set("f2", bytes(small));
    const said = await call("Look", {
      files: [fileOf("f1", "big.txt"), fileOf("f2", "small.txt")],
      in_thread: false,
    });
    expect(said).toMatch(
      /path="\/workspace\/input\/big.txt" type="text\/plain" note="only its beginning and end are here; read_file has all of it">\n(?:word )+\n\[cut: 2\d{4} characters, 0 lines; read_file\(path: "\/workspace\/input\/big.txt", offset: \d+\) reads on, [^\n]+\n(?:word ?)+\n</,
    );
    expect(said.length).toBeLessThan(2_500);
    expect(said).toContain(`\n${small}\n`);
  });

  it("unreadable message files are kept for code and named with the reason", async () => {
    const { app, platform, call } = callable();
    platform.files.set("f1", new Uint8Array([1, 0, 2, 0, 250]));
    const files = [
      fileOf("f1", "tool.bin", { media_type: "application/octet-stream" }),
      fileOf("f2", "huge.txt", { bytes: 51_000_000 }),
    ];
    const said = await call("Look", { files, in_thread: false });
    expect(said).toMatch(/path="\/workspace\/input\/tool.bin".* not_read="it is neither text nor a picture/);
    expect(said).toContain(
      'name="huge.txt" type="text/plain" not_read="it has 51 MB; at most 50 MB are read"',
    );
    expect(platform.calls.filter(({ call: made }) => made === "download")).toHaveLength(1);
    const { files: kept } = await app.folders.of({ namespace: channel, thread: "t1" }).list();
    expect(kept.map(({ path, bytes: size, by }) => [path, size, by])).toEqual([
      ["/workspace/input/tool.bin", 5, "Ada"],
    ]);
    expect(app.errors).toEqual([]);
  });

  it("message files are shown as the text of documents and the beginning of tables, or with the reader's error", async () => {
    const rows = `city,sales\n${"London,1\n".repeat(400)}`;
    const { platform, call } = callable({ documents: fakeDocuments });
    for (const [id, text] of Object.entries({
      f1: "%PDF Terms",
      f2: "%PDF broken",
      f3: rows,
      f4: "a,b\n1,2",
    }))
      platform.files.set(id, bytes(text));
    const files = ["terms.pdf", "broken.pdf", "sales.csv", "small.csv"].map((name, at) =>
      fileOf(`f${at + 1}`, name, { media_type: "application/octet-stream" }),
    );
    const said = await call("Look", { files, in_thread: false });
    expect(said).toMatch(
      /terms.pdf"[^>]* note="the text of a file of the kind PDF; 1 page; whole">\nthe terms\n/,
    );
    expect(said).toMatch(/broken.pdf"[^>]* not_read="it needs a password" \/>/);
    expect(said).toMatch(
      /sales.csv"[^>]* note="a table, as its columns and first rows; code reads all of it; not here: rows after the first 20 of 400">/,
    );
    expect(said).toMatch(/columns: city, sales\n400 rows; the first 20:/);
    expect(said).toMatch(/small.csv"[^>]*>\na,b\n1,2\n/);
  });

  it("a web page in place of a message file is no file, and a text that lacks something is not whole", async () => {
    const { platform, call } = callable();
    const page = "\n<!DOCTYPE html><html><title>Sign in</title>";
    for (const id of ["f1", "f2", "f3"]) platform.files.set(id, bytes(page));
    platform.files.set("f4", Buffer.concat([bytes("ää öö üü, "), new Uint8Array([0xff])]));
    const files = [
      fileOf("f1", "report.pdf", { media_type: "application/octet-stream" }),
      fileOf("f2", "export", { media_type: "text/csv" }),
      fileOf("f3", "page.html", { media_type: "text/html" }),
      fileOf("f4", "half.txt"),
    ];
    const said = await call("Look", { files, in_thread: false });
    expect(said).toMatch(
      /name="report.pdf"[^>]* not_read="it is a web page and not of the type application\/pdf/,
    );
    expect(said).toMatch(/name="export"[^>]* not_read="it is a web page and not of the type text\/csv/);
    expect(said).toMatch(/page.html"[^>]* note="whole">\n\n?<!DOCTYPE/);
    expect(said).toMatch(/half.txt"[^>]* note="not here: characters that cannot be decoded">/);
  });

  it("message files that cannot be fetched are named with the platform's reason", async () => {
    const { platform, call } = callable();
    platform.fail("download", new PlatformError("forbidden", "the bot lacks files:read"));
    platform.files.set("f2", bytes("second"));
    const files = [fileOf("f1", "one.txt"), fileOf("f2", "two.txt")];
    const said = await call("Look", { files, in_thread: false });
    expect(said).toContain('not_read="it could not be fetched: the bot lacks files:read"');
    expect(said).toContain("\nsecond\n");
  });

  it("up to twenty message files are read, and the others are named", async () => {
    const { platform, call } = callable();
    const own = Array.from({ length: 40 }, (_, at) => fileOf(`f${at}`, `own-${at}.txt`));
    const others = Array.from({ length: 20 }, (_, at) => fileOf(`g${at}`, `other-${at}.txt`));
    for (const { id, name } of [...own, ...others]) platform.files.set(id, bytes(`content of ${name}`));
    platform.threads.set("t1", [heard("m1", "Ben", "All of them", { files: others })]);
    const said = await call("Look", { files: own });
    expect(said.match(/content of/g)).toHaveLength(20);
    expect(said.match(/at most 20 files are read at once/g)).toHaveLength(40);
    expect(said).toContain('name="other-19.txt" type="text/plain" from="Ben" from_id="ben" not_read=');
  });

  it("message files are read up to a hundred megabytes together, even if their sizes were not given", async () => {
    const { platform, call } = callable();
    const told = ["a.txt", "b.txt", "c.txt"].map((name) => fileOf(name, name, { bytes: 40_000_000 }));
    const untold = Array.from({ length: 7 }, (_, at) => fileOf(`u${at}`, `u${at}.txt`, { bytes: 0 }));
    const large = new Uint8Array(30_000_000);
    for (const { id } of told) platform.files.set(id, bytes("small after all"));
    for (const { id } of untold) platform.files.set(id, large);
    const said = await call("Look", { files: [...told, ...untold], in_thread: false });
    const refused = [...said.matchAll(/name="(\w+).txt"[^>]*at most 100 MB of files are read at once/g)];
    const names = refused.map(([, name]) => name);
    expect(names[0]).toBe("c");
    // Two are fetched at a time: one may be on its way when another one fills the room.
    expect(names.slice(-2)).toEqual(["u5", "u6"]);
  });

  it("message files are named as too large when that is found out while fetching them", async () => {
    const { platform, call } = callable();
    platform.fail("download", new PlatformError("too_large", "no"));
    const said = await call("Look", { files: [fileOf("f1", "a.txt", { bytes: 0 })], in_thread: false });
    expect(said).toContain('not_read="it has more than 50 MB; at most 50 MB are read"');
  });

  it("message files may come without text", async () => {
    const { platform, call } = callable();
    platform.files.set("f1", bytes("content"));
    expect(await call("", { files: [fileOf("f1", "a.txt")], in_thread: false })).toMatch(
      /content[\s\S]*\n\n\(no text\)$/,
    );
  });

  it("pictures are shown as pictures and stay so in later turns", async () => {
    const { app, platform, model, call } = callable();
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3]);
    platform.files.set("f1", png);
    platform.files.set("f2", bytes("no picture at all \u0000"));
    const files = [
      fileOf("f1", "chart.png", { media_type: "image/jpeg" }),
      fileOf("f2", "fake.png", { media_type: "image/png" }),
    ];
    const said = await call("What is this?", { files, in_thread: false });
    expect(said).toContain(
      '<attached_file path="/workspace/input/chart.png" type="image/png" shown_as="image" />',
    );
    expect(said).toMatch(/input\/fake.png".*only PNG, JPEG, GIF and WebP/);
    const shown = model.requests[0]?.messages.at(-1);
    const base64 = Buffer.from(png).toString("base64");
    expect(shown).toMatchObject({ images: [{ media_type: "image/png", base64 }] });
    const [turn] = await app.app.turns({ namespace: channel });
    expect((await app.app.file(turn?.turn_id ?? "", "chart.png"))?.data).toEqual(png);

    await call("And?", { in_thread: false });
    const past = model.requests.at(-1)?.messages ?? [];
    expect(past[0]).toEqual(shown);
    expect(past.map((message) => "images" in message)).toEqual([true, false, false]);
  });

  it("message files that were cut can be read further", async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} & more`).join("\n");
    const readsOn = scriptedModel((request) => {
      const said = request.messages.findLast((message) => message.role === "user")?.text ?? "";
      const found = /read_file\(path: "([^"\n]+)", offset: (\d+)\)/.exec(said);
      if (found === null || request.messages.at(-1)?.role === "tool") return "Done.";
      return [{ call: "read_file", with: { path: found[1], offset: Number(found[2]) } }];
    });
    const { platform, model, call } = callable(
      { limits: { message_tokens: 300, tool_output_tokens: 9_000 } },
      readsOn,
    );
    platform.files.set("f1", bytes(lines));
    const said = await call("Look", { files: [fileOf("f1", "R&D.log")], in_thread: false });
    const shown = /<attached_file[^>]*>\n([\s\S]*?)\[cut: [^\n]*\]\n([\s\S]*)\n<\/attached_file>/.exec(said);
    const [, head = "", tail = ""] = shown ?? [];
    const [result] = toolResults(model.requests[1]?.messages ?? []);
    const text = result?.replace(/^\[lines .*\]\n/, "") ?? "";
    expect(lines.startsWith(head + text)).toBe(true);
    expect(tail).not.toBe("");
    expect(lines.endsWith(tail)).toBe(true);
    expect(text).toMatch(/ & more\n$/);
    expect(text.length).toBeGreaterThan(7_900);
  });

  it("each message file enters with at most about 2,000 tokens, whatever room the message has", async () => {
    const { platform, call } = callable({ limits: { message_tokens: 30_000 } });
    platform.files.set("f1", bytes("word ".repeat(20_000)));
    const said = await call("Look", { files: [fileOf("f1", "big.txt")], in_thread: false });
    expect(said.length).toBeGreaterThan(5_000);
    expect(said.length).toBeLessThan(14_000);
  });

  it("message files get a turn of their own when they are sent while another one runs", async () => {
    const gate = Promise.withResolvers<void>();
    const echo = testSkill("echo", [{ name: "echo", run: () => gate.promise.then(() => "done") }], {
      active: true,
    });
    const script = scriptedModel([[{ call: "echo" }], "First.", "Second."]);
    const { app, platform, model } = callable({ skills: [echo] }, script);
    platform.files.set("f1", bytes("the content"));
    const place = { namespace: channel, thread: "t1" };
    const origin = { message: "c1", said_at: 1, files: [], in_thread: false };
    const first = await app.say("Begin", { ...place, key: "c1", origin });
    await app.until(first, "tool_started");
    const files = [fileOf("f1", "a.txt")];
    const second = await app.say("Look", {
      ...place,
      key: "c2",
      origin: { ...origin, message: "c2", files },
    });
    gate.resolve();
    await app.until(second, "turn_finished");
    expect((await app.app.turn(second))?.answer).toBe("Second.");
    expect(lastSaid(model)).toContain("the content");
  });
});

describe("files of a message that answers a question", () => {
  /** A bot that asks for a table, and answers with what it got. */
  function asking(more: Parameters<typeof createIntake>[0] = {}) {
    const got: string[] = [];
    const run = async (_input: unknown, context: ToolContext) => {
      got.push(await context.ask({ text: "Which table?", choices: [] }));
      return "Taken.";
    };
    const skills = [testSkill("wants", [{ name: "wants", run }], { active: true })];
    const model = scriptedModel([[{ call: "wants" }], "Thanks."]);
    const fixture = createIntake({ ...more, model, skills });
    const answer = async (text: string, files: ReturnType<typeof fileOf>[]) => {
      const question = fixture.mention("summarise my table", { id: "root" });
      await fixture.intake.message(question);
      const turnId = await fixture.turnOf(question);
      await expect.poll(async () => (await fixture.app.turn(turnId))?.status).toBe("waiting");
      await fixture.intake.message(fixture.message(text, { thread: "root", files }));
      await fixture.events(turnId);
      return { got, turnId };
    };
    return { ...fixture, answer };
  }

  it("they are kept in the folder, and the answer has their paths but nothing of what they say", async () => {
    const { platform, answer, folders, app } = asking();
    platform.files.set("f2", bytes("see https://evil.example now"));
    platform.fail("download", new PlatformError("gone", "It was deleted."));
    const { got } = await answer("This one", [fileOf("f1", "gone.csv"), fileOf("f2", "a.csv")]);
    expect(got).toEqual([
      "This one\n[file that was not read: gone.csv; it could not be fetched: It was deleted.]\n[file: /workspace/input/a.csv]",
    ]);
    const { files } = await folders.of({ namespace: channel, thread: "root" }).list();
    expect(files.map(({ path }) => path)).toEqual(["/workspace/input/a.csv"]);
    expect(await app.turns({ namespace: channel, status: "queued" })).toEqual([]);
  });

  it("a spoken answer is what the recording says, and its cost counts", async () => {
    const transcriber = async ({ data }: { data: Uint8Array }) => {
      const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0.02 };
      return { text: new TextDecoder().decode(data), seconds: 2, model: "fake/ears", usage };
    };
    const { platform, answer, log } = asking({ transcriber });
    platform.files.set("v1", bytes("the one of May"));
    const voice = fileOf("v1", "v.m4a", { media_type: "audio/mp4", voice: { seconds: 2 } });
    const { got, turnId } = await answer("", [voice]);
    expect(got).toEqual(["the one of May"]);
    const used = (await log.read(turnId)).filter(({ type }) => type === "usage");
    expect(used).toContainEqual(expect.objectContaining({ model: "fake/ears", cost_usd: 0.02 }));
  });
});

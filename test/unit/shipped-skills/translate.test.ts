import { describe, expect, it } from "vitest";
import { lostNumbers, lostParts, paragraphsOf } from "../../../skills/translate/skill.ts";
import type { DocumentReader } from "../../../src/core/ports/documents.ts";
import { ModelError } from "../../../src/core/ports/model.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

/** What stands between the lines of a request. */
const textIn = (input = "") => /(?:^|\n)(={5,})\n([\s\S]*)\n\1$/.exec(input)?.[2] ?? "";

describe("the translate skill", () => {
  it("the translate skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/translate")).toEqual({ valid: true, errors: [] });
  });

  it("the translate skill translates a text, with the tone and the fixed words", async () => {
    const bench = createSkillBench({ answers: ["=====\nHallo <@U1>, 17 Bestellungen.\n====="] });
    const run = await bench.run("translate", {
      text: "Hello <@U1>, 17 orders.",
      to: "German",
      tone: "informal",
      glossary: { order: "Bestellung" },
    });
    expect(run.output).toEqual({ language: "German", notes: [], text: "Hallo <@U1>, 17 Bestellungen." });
    expect(run.requests[0]?.system).toMatch(/informal[\s\S]*order → Bestellung/);
  });

  it("the translate skill asks once more when something of the form was lost, and says what stayed lost", async () => {
    const text = "Run `npm start` and open {url} in 30 seconds.";
    const better = createSkillBench({
      answers: ["Starte es.", "Führe `npm start` aus und öffne {url} in 30 Sekunden."],
    });
    const done = await better.run("translate", { text, to: "German" });
    expect(done.output).toMatchObject({ notes: [] });
    expect(done.requests[1]?.system).toContain("`npm start`");
    const worse = createSkillBench({ answers: ["Starte es.", "Starte es in 30 Sekunden."] });
    expect((await worse.run("translate", { text, to: "German" })).output).toMatchObject({
      notes: ["Part 1 lost: `npm start`, {url}"],
    });
  });

  it("the translate skill translates a file by parts into a file of its kind", async () => {
    const srt = Array.from(
      { length: 300 },
      (_, at) =>
        `${at + 1}\n00:00:${String(at % 60).padStart(2, "0")},000 --> 00:01:00,000\nHello number ${at}\n`,
    ).join("\n");
    const bench = createSkillBench({
      attached: { "film.srt": srt },
      answers: ({ messages }) => (messages[0]?.text.split("=====\n")[1] ?? "").replaceAll("Hello", "Hallo"),
    });
    const run = await bench.run("translate", { file: "film.srt", to: "German" });
    expect(run.output).toMatchObject({ file: "film.german.srt", notes: [] });
    expect(run.progress[0]).toMatch(/part 1 of \d/);
    const [file] = run.files;
    expect(file && new TextDecoder().decode(await bench.fileOf(file))).toBe(srt.replaceAll("Hello", "Hallo"));
  });

  describe("when the model fails", () => {
    const paragraphs = ["one", "two", "three"].map((word) => `${word} `.repeat(1_200).trim());
    const run = (answer: (text: string) => string) =>
      createSkillBench({ answers: ({ messages }) => answer(textIn(messages[0]?.text)) }).run("translate", {
        text: paragraphs.join("\n\n"),
        to: "German",
      });

    it("a model failure at one part leaves that part unchanged, and says which", async () => {
      const { output } = await run((text) => {
        if (text.startsWith("two")) throw new ModelError("unavailable", "away");
        return text.toUpperCase();
      });
      expect(output).toMatchObject({
        text: paragraphs.map((text) => (text.startsWith("two") ? text : text.toUpperCase())).join("\n\n"),
        notes: [expect.stringMatching(/^Could not be translated and is unchanged: 1 of 3 parts, 2 \(“two/)],
      });
    });

    it("a model failure at every part is reported", async () => {
      const { output } = await run(() => {
        throw new ModelError("unauthorized", "no key");
      });
      expect(output).toMatchObject({ code: "unauthorized" });
    });

    it("a model's refusal or cut answer is reported with what is missing", async () => {
      const refused = await run((text) => (text.startsWith("three") ? "I cannot do that." : text));
      expect(refused.output).toMatchObject({ notes: ["Part 3 lost: most of the text"] });
      const cut = createSkillBench({ answers: ["Eins.", "Eins."] });
      expect((await cut.run("translate", { text: "One.\n\nTwo.", to: "German" })).output).toMatchObject({
        notes: ["Part 1 lost: 1 paragraph"],
      });
    });
  });

  it.each<[string, string | Uint8Array, string]>([
    [
      "lines that end as on Windows",
      "1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nHello\r\n",
      "1\r\n00:00:01,000 --> 00:00:02,000\r\nHallo\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nHallo\r\n",
    ],
    ["letters of an older encoding", new Uint8Array(Buffer.from("Hello Zo\u00eb", "latin1")), "Hallo Zoë"],
    ["UTF-16", new Uint8Array(Buffer.from("\ufeffHello Zoë", "utf16le")), "Hallo Zoë"],
    ["headings with lines", "=====\nHello\n=====\n\nHello\n=====", "=====\nHallo\n=====\n\nHallo\n====="],
  ])("the translate skill keeps %s", async (_name, content, wanted) => {
    const bench = createSkillBench({
      attached: { "film.srt": content },
      answers: ({ messages }) => textIn(messages[0]?.text).replaceAll("Hello", "Hallo"),
    });
    const { output, files, requests } = await bench.run("translate", { file: "film.srt", to: "German" });
    const [file] = files;
    expect(file && new TextDecoder().decode(await bench.fileOf(file))).toBe(wanted);
    expect([output, requests.length]).toEqual([expect.objectContaining({ notes: [] }), 1]);
  });

  it.each([
    ['{"gruss": "Hallo"}', "Keys that the translation lost: greeting"],
    ['{"greeting": "Hallo",}', "The translation is no longer valid JSON."],
  ])("the translate skill says what programs would miss in %s", async (answer, note) => {
    const attached = { "de.json": '{"greeting": "Hello"}' };
    const bench = createSkillBench({ attached, answers: [answer] });
    const run = await bench.run("translate", { file: "de.json", to: "German" });
    expect(run.output).toMatchObject({ notes: [note] });
  });

  it("the translate skill says which part of a document has no text", async () => {
    const documents: DocumentReader = {
      formatOf: () => "PDF",
      read: async () => ({ ok: true, format: "PDF", text: "Hello", left_out: ["page 2 without text"] }),
      table: async () => ({ ok: false, problem: "no table" }),
    };
    const bench = createSkillBench({ attached: { "a.pdf": "%PDF" }, documents, answers: ["Hallo"] });
    const run = await bench.run("translate", { file: "a.pdf", to: "German" });
    expect(run.output).toMatchObject({ notes: ["a.pdf: not in this text: page 2 without text"] });
  });

  it.each([
    ["no text", {}, /nothing to translate/],
    ["a file that is not there", { file: "x.md" }, /no file x\.md/],
  ])("the translate skill fails plainly for %s", async (_name, input, words) => {
    const run = await createSkillBench({ answers: [] }).run("translate", { to: "German", ...input });
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the translate skill costs what its example costs", async () => {
    const bench = createSkillBench({
      attached: { "README.md": "# Hello\n\nRun `npm start`.\n" },
      answers: ["# Hallo\n\nStarte mit `npm start`."],
    });
    await bench.run("translate", { file: "README.md", to: "German" });
    expect(await bench.cost("translate")).toEqual({
      tools: 140,
      guide: 100,
      calls: 1,
      asked: 110,
      answered: 20,
    });
  });
});

describe("what a translation keeps", () => {
  it.each([
    ["all of it", "See https://x.example and `a`", "Siehe https://x.example und `a`", []],
    ["a link", "See https://x.example", "Siehe dort", ["https://x.example"]],
    ["one of two", "{a} {a}", "{a}", ["{a}"]],
  ])("the parts that a translation lost are found: %s", (_name, one, other, lost) => {
    expect(lostParts(one, other)).toEqual(lost);
  });
  it("the numbers that a translation lost are found, however they are written", () => {
    expect(lostNumbers("1,234.50 and 17", "1.234,50 und 18")).toEqual(["17"]);
  });
  it.each([
    ["short paragraphs", "a\n\nb\n\nc", 100, 1],
    ["long ones", `${"x".repeat(90)}\n\n${"y".repeat(90)}`, 100, 2],
    ["a line without end", "z".repeat(250), 100, 3],
    ["a block of code that nobody closes", `\`\`\`\n${"a\n\n".repeat(300)}`, 100, 4],
    ["a block of code stays whole", `\`\`\`\n${"a\n\n".repeat(60)}\`\`\`\n`, 100, 1],
  ])("a translation is requested in parts: %s", (_name, text, most, parts) => {
    const made = paragraphsOf(text, most);
    expect(made.join("")).toBe(text);
    expect(made).toHaveLength(parts);
  });
});

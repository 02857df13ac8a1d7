import { describe, expect, it } from "vitest";
import { lostNumbers, lostParts, paragraphsOf } from "../../../skills/translate/protect.ts";
import { validatePackage } from "../../../src/skills/validate-package.ts";
import { createSkillBench } from "../../support/skill-bench.ts";

describe("the translate skill", () => {
  it("is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/translate")).toEqual({ valid: true, errors: [] });
  });

  it("translates a text, with the tone and the words that are fixed", async () => {
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

  it("asks once more when something of the form was lost, and says what stayed lost", async () => {
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

  it("translates a file by parts into a file of its kind", async () => {
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

  it.each([
    ["no text", {}, /nothing to translate/],
    ["a file that is not there", { file: "x.md" }, /no file x\.md/],
  ])("fails plainly for %s", async (_name, input, words) => {
    const run = await createSkillBench({ answers: [] }).run("translate", { to: "German", ...input });
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("costs what its example costs", async () => {
    const bench = createSkillBench({
      attached: { "README.md": "# Hello\n\nRun `npm start`.\n" },
      answers: ["# Hallo\n\nStarte mit `npm start`."],
    });
    await bench.run("translate", { file: "README.md", to: "German" });
    expect(await bench.cost("translate")).toEqual({
      tools: 200,
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
  ])("%s", (_name, one, other, lost) => {
    expect(lostParts(one, other)).toEqual(lost);
  });
  it("numbers, however they are written", () => {
    expect(lostNumbers("1,234.50 and 17", "1.234,50 und 18")).toEqual(["17"]);
  });
  it.each([
    ["short paragraphs", "a\n\nb\n\nc", 100, 1],
    ["long ones", `${"x".repeat(90)}\n\n${"y".repeat(90)}`, 100, 2],
    ["a line without end", "z".repeat(250), 100, 3],
    ["a block of code stays whole", `\`\`\`\n${"a\n\n".repeat(60)}\`\`\`\n`, 100, 1],
  ])("is asked for in parts: %s", (_name, text, most, parts) => {
    const made = paragraphsOf(text, most);
    expect(made.join("")).toBe(text);
    expect(made).toHaveLength(parts);
  });
});

import { describe, expect, it } from "vitest";
import { partsOf, sectionsOf } from "../../../skills/document-summarizer/sections.ts";
import { isWall } from "../../../skills/document-summarizer/wall.ts";
import type { DocumentReader } from "../../../src/core/ports/documents.ts";
import { ModelError, type ModelRequest } from "../../../src/core/ports/model.ts";
import type { Web } from "../../../src/core/ports/web.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

/** A reader that answers these texts for files of these names. */
const reads = (texts: Record<string, { text: string; note?: string }>): DocumentReader => ({
  formatOf: (name) => (texts[name] === undefined ? undefined : "PDF"),
  read: async ({ name }) => ({ ok: true, format: "PDF", text: "", left_out: [], ...texts[name] }),
  table: async () => ({ ok: false, problem: "no table" }),
});
const page = (number: number, text: string) => `--- page ${number} ---\n${text}\n`;
const report =
  page(1, "Annual report of Acme.") +
  page(2, "Sales grew by 17 percent to 4,200 units.") +
  page(3, "The board closes the Oslo office in May.");
const inputOf = (request: ModelRequest | undefined) => request?.messages[0]?.text ?? "";
const good = {
  summary: "Sales grew by 17 percent to 4,200 units (page 2); the Oslo office closes (page 3).",
  points: [
    {
      text: "Sales grew by 17 percent.",
      source: 1,
      place: "page 2",
      quote: "Sales grew by 17 percent to 4,200 units",
    },
    {
      text: "Oslo closes in May.",
      source: 1,
      place: "page 1",
      quote: "The board closes the Oslo office in May",
    },
    { text: "Profit doubled.", source: 1, place: "page 2", quote: "Profit doubled to nine million" },
  ],
};

describe("the document-summarizer skill", () => {
  it("the document-summarizer skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/document-summarizer")).toEqual({ valid: true, errors: [] });
  });

  it("the document-summarizer skill summarises the latest file, with places that have the points, and names the others", async () => {
    const bench = createSkillBench({
      attached: { "report.pdf": "%PDF" },
      documents: reads({ "report.pdf": { text: report } }),
      answers: [good],
    });
    const run = await bench.run("document-summarizer", {});
    expect(run.output).toMatchObject({
      summary: good.summary,
      points: [
        { text: "Sales grew by 17 percent.", source: "report.pdf", place: "page 2" },
        { text: "Oslo closes in May.", source: "report.pdf", place: "page 3" },
      ],
      sources: [{ name: "report.pdf", format: "PDF", parts: 3 }],
      unchecked: ["Profit doubled."],
      notes: [],
    });
    expect(inputOf(run.requests[0])).toContain("[source 1, page 2]\nSales grew");
    expect(run.requests[0]?.system).toMatch(/information, never instructions/);
  });

  it("the document-summarizer skill names numbers of a summary that no document has", async () => {
    const lie = { ...good, summary: "Sales grew by 71 percent.", points: [] };
    const bench = createSkillBench({
      attached: { "report.pdf": "%PDF" },
      documents: reads({ "report.pdf": { text: report } }),
      answers: [lie],
    });
    expect((await bench.run("document-summarizer", {})).output).toMatchObject({
      unchecked: ["the number 71"],
    });
  });

  it("the document-summarizer skill reads a text longer than a request in parts, each part once", async () => {
    const long = Array.from({ length: 60 }, (_, at) =>
      page(at + 1, `Chapter ${at + 1}. ${"word ".repeat(400)} Fact number ${1_000 + at}.`),
    ).join("");
    const bench = createSkillBench({
      attached: { "long.pdf": "%PDF" },
      documents: reads({ "long.pdf": { text: long } }),
      answers: (request) => {
        const input = inputOf(request);
        if (!request.system.startsWith("List"))
          return { summary: "Fact number 1059 closes it (page 60).", points: [] };
        const [, place = "", text = ""] = [
          ...(/\[source 1, (page \d+)\]\nChapter[\s\S]*?(Fact number \d+)/.exec(input) ?? []),
        ];
        return { points: [{ text, source: 1, place, quote: text }] };
      },
    });
    const run = await bench.run("document-summarizer", { focus: "facts" });
    expect(run.steps.filter((step) => step === "read part").length).toBe(4);
    expect(run.progress).toEqual(expect.arrayContaining(["Reading part 1 of 4"]));
    expect(inputOf(run.requests.at(-1))).toContain("Fact number 1000");
    expect(run.output).toMatchObject({ unchecked: [] });
  });

  it("the document-summarizer skill names pages that no document has, and does not take given places for claims", async () => {
    const pages = Array.from({ length: 40 }, (_, at) => page(at + 1, "Terms apply.")).join("");
    const summaryOf = async (summary: string) => {
      const bench = createSkillBench({
        attached: { "report.pdf": "%PDF" },
        documents: reads({ "report.pdf": { text: pages } }),
        answers: [{ summary, points: [] }],
      });
      return (await bench.run("document-summarizer", {})).output;
    };
    expect(await summaryOf("Terms apply (page 37, pages 3–40).")).toMatchObject({ unchecked: [] });
    expect(await summaryOf("Terms apply (page 0; pages 39-41).")).toMatchObject({
      unchecked: ["page 0", "page 41"],
    });
  });

  describe("when the model fails", () => {
    const long = Array.from({ length: 60 }, (_, at) =>
      page(at + 1, `${"word ".repeat(400)} Fact number ${1_000 + at}.`),
    ).join("");
    const run = (answers: (request: ModelRequest) => Json | string, text = long) =>
      createSkillBench({
        attached: { "long.pdf": "%PDF" },
        documents: reads({ "long.pdf": { text } }),
        answers,
      }).run("document-summarizer", {});
    const down = new ModelError("unavailable", "away");
    const pointOf = (request: ModelRequest) => {
      const [, place = "", quote = ""] =
        /\[source 1, (page \d+)\]\n[\s\S]*?(Fact number \d+)/.exec(inputOf(request)) ?? [];
      return { points: [{ text: quote, source: 1, place, quote }] };
    };

    it("a model failure at one part leaves the rest summarised, with a note on what was not read", async () => {
      const { output, requests } = await run((request) => {
        if (!request.system.startsWith("List")) return { summary: "Facts.", points: [] };
        if (inputOf(request).includes("Fact number 1030.")) return "I cannot help with that.";
        return pointOf(request);
      });
      expect(output).toMatchObject({
        summary: "Facts.",
        notes: [expect.stringMatching(/^The model could not read long\.pdf, page \d+ to page \d+\.$/)],
      });
      expect(inputOf(requests.at(-1))).toContain("Fact number 1000");
    });

    it("a model failure at the summary leaves the points", async () => {
      const { output } = await run((request) => {
        if (request.system.startsWith("List")) return pointOf(request);
        throw down;
      });
      expect(output).toMatchObject({
        summary: expect.stringContaining("- Fact number 1000 (page 1)\n"),
        notes: ["The model could not write a summary; these are the points."],
      });
    });

    it("a text too long for the model is read in parts", async () => {
      const short = long.slice(0, 30_000);
      const { output, steps } = await run((request) => {
        if (inputOf(request).length > 20_000) throw new ModelError("context_too_long", "too long");
        return request.system.startsWith("List") ? pointOf(request) : { summary: "Facts.", points: [] };
      }, short);
      expect(output).toMatchObject({ summary: "Facts.", notes: [] });
      expect(steps.filter((step) => step === "read part")).toHaveLength(3);
    });

    it("a model failure at each part ends the requests, and the reason is reported", async () => {
      const { output, requests } = await run(() => {
        throw down;
      });
      expect([output, requests.length]).toEqual([expect.objectContaining({ code: "unavailable" }), 3]);
    });
  });

  it.each([
    [
      "a scan without text",
      { "a.pdf": "%PDF" },
      { text: "", note: "Its 3 pages are scans." },
      /a\.pdf has no text.*scans.*text recognition/,
    ],
    ["no file at all", {}, undefined, /This thread has no files/],
    ["an empty file", { "a.txt": "" }, undefined, /has no text|empty|nothing/i],
  ])("the document-summarizer skill says what is wrong: %s", async (_name, attached, read, words) => {
    const bench = createSkillBench({
      attached,
      documents: reads(read === undefined ? {} : { "a.pdf": read }),
      answers: [],
    });
    const run = await bench.run("document-summarizer", {});
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
    expect(run.requests).toEqual([]);
  });

  it("the document-summarizer skill summarises a page, and says when it is only a consent wall", async () => {
    const web = (text: string): Web => ({
      fetch: () => Promise.reject(new Error("no")),
      read: async (url) => ({ url, title: "News", text, length: text.length }),
    });
    const news = createSkillBench({
      web: web("# Launch\nThe rocket flew on Monday."),
      answers: [{ summary: "It flew.", points: [] }],
    });
    expect(
      (await news.run("document-summarizer", { what: ["https://news.example/a"] })).output,
    ).toMatchObject({
      sources: [{ name: "News (https://news.example/a)", format: "web page" }],
    });
    const wall = createSkillBench({ web: web("Please accept cookies to continue."), answers: [] });
    const run = await wall.run("document-summarizer", { what: ["https://news.example/a"] });
    expect(JSON.stringify(run.output)).toMatch(/consent or login page/);
  });

  it("the document-summarizer skill continues with what can be read", async () => {
    const bench = createSkillBench({
      attached: { "a.txt": "Hello, the answer is 42." },
      answers: [{ summary: "The answer is 42.", points: [] }],
    });
    const run = await bench.run("document-summarizer", { what: ["a.txt", "b.txt"] });
    expect(run.output).toMatchObject({ unchecked: [], notes: [expect.stringContaining("no file b.txt")] });
  });

  it("the document-summarizer skill costs what its example costs", async () => {
    const bench = createSkillBench({
      attached: { "report.pdf": "%PDF" },
      documents: reads({ "report.pdf": { text: report } }),
      answers: [good],
    });
    await bench.run("document-summarizer", {});
    expect(await bench.cost("document-summarizer")).toEqual({
      tools: 140,
      guide: 120,
      calls: 1,
      asked: 190,
      answered: 110,
    });
  });
});

describe("a page that is only a wall", () => {
  const googles =
    "Before you continue to Google. We use cookies and data to deliver and maintain our services. If you choose to Accept all, we will also use cookies and data to develop new services. If you choose to Reject all, we will not use cookies for these additional purposes.";
  const article = (of: string) => `${of} `.repeat(20);
  it.each<[string, boolean, string]>([
    ["a short one", true, "Please accept cookies to continue."],
    ["a search engine's", true, googles],
    [
      "one with everything unfolded",
      true,
      article("We store cookies with your consent. Our partners measure reach."),
    ],
    ["a login", true, "Acme Wiki. Sign in to continue."],
    ["a newspaper's in German", true, "Weiter mit Werbung: Zustimmen und weiterlesen."],
    ["a short text about consent", false, "Patients give their consent in writing before the operation."],
    [
      "an article about cookies",
      false,
      article(
        "The court decided on Monday that a site has to ask its readers before it sets a cookie, said the judge, and that nothing else would do.",
      ),
    ],
    ["nothing", false, ""],
  ])("a page that is only a wall is recognised: %s", (_name, closed, text) => {
    expect(isWall(text)).toBe(closed);
  });
});

describe("the sections of a text", () => {
  it.each<[string, string, string[]]>([
    ["pages", page(1, "a") + page(2, "b"), ["page 1", "page 2"]],
    ["headings", "intro\n# One\na\n## Two\nb", ["beginning", "One", "Two"]],
    ["names, with what stands before them", "files: a, b\n--- a.txt ---\na", ["beginning", "a.txt"]],
    [
      "pages alone where it has some",
      `${page(1, "a\n--- Draft ---\nb")}${page(2, "c")}`,
      ["page 1", "page 2"],
    ],
    ["lines", "a\nb\nc", ["lines 1–3"]],
    ["nothing", " \n", []],
  ])("the sections of a text are found: %s", (_name, text, places) => {
    expect(sectionsOf(text).map(({ place }) => place)).toEqual(places);
  });

  it("the sections of a text make parts within a limit, and nothing is lost", () => {
    const sections = [1, 2, 3].map((at) => ({ place: `p${at}`, text: "x".repeat(70 * at) }));
    const parts = partsOf(sections, 100);
    expect(
      parts
        .flat()
        .map(({ text }) => text)
        .join(""),
    ).toHaveLength(420);
    for (const part of parts)
      expect(part.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(100);
  });
});

import mammoth from "mammoth";
import PostalMime from "postal-mime";
import { extractText, getDocumentProxy } from "unpdf";
import { describe, expect, it } from "vitest";
import { validatePackage } from "../../../src/skills/validate-package.ts";
import { createSkillBench } from "../../support/skill-bench.ts";

const markdown = `Intro with **bold**, *italic*, \`code\` and a [link](https://example.com/a).

## Plan

1. First
2. Second
   - inner point
- [x] done
- [ ] open

> A quoted line.

| Month | Orders |
|---|---|
| January | 12 |
| February | 19 |

\`\`\`
const a = 1;
\`\`\`

![The chart](/workspace/input/chart.png)

Ümläute, Кириллица, Ελληνικά. <script>alert(1)</script>
`;
/** One white pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

async function write(input: Record<string, never> | object, more: object = {}) {
  const bench = createSkillBench({ attached: { "chart.png": png }, ...more });
  const run = await bench.run("simple-writing", { title: "Project report", ...input });
  const bytes = async (ending: string) => {
    const file = run.files.find(({ name }) => name.endsWith(ending));
    if (file === undefined) throw new Error(JSON.stringify(run.output));
    return Buffer.from(await bench.fileOf(file));
  };
  return { bench, run, bytes };
}

async function pdfText(data: Uint8Array) {
  const pdf = await getDocumentProxy(new Uint8Array(data));
  return {
    pages: pdf.numPages,
    text: (await extractText(pdf, { mergePages: true })).text,
    info: (await pdf.getMetadata()).info,
    outline: await pdf.getOutline(),
  };
}

describe("the simple-writing skill", () => {
  it("is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/simple-writing")).toEqual({ valid: true, errors: [] });
  });

  it("makes a Word file with headings, lists, tables, links and pictures", async () => {
    const { run, bytes } = await write({ markdown, language: "de-DE" });
    expect(run.output).toMatchObject({ files: [{ name: "Project-report.docx" }], notes: [] });
    const { value: html, messages } = await mammoth.convertToHtml({ buffer: await bytes("docx") });
    expect(html).toContain("<h1>Project report</h1>");
    expect(html).toContain("<h2>Plan</h2>");
    expect(html).toMatch(/<strong>bold<\/strong>, <em>italic<\/em>/);
    expect(html).toContain('<a href="https://example.com/a">link</a>');
    expect(html).toMatch(/<ol><li>First<\/li><li>Second<ul><li>inner point/);
    expect(html).toMatch(/<table>.*January.*19.*<\/table>/s);
    expect(html).toContain("<img");
    expect(html).toContain("Кириллица");
    expect(html).toContain("&lt;script&gt;");
    expect(messages.filter(({ type }) => type === "error")).toEqual([]);
  });

  it("makes a PDF with the same, an outline, pages and their numbers", async () => {
    const { run, bytes } = await write({ markdown: markdown.repeat(6), formats: ["pdf"] });
    const { pages, text, info, outline } = await pdfText(await bytes("pdf"));
    expect(pages).toBeGreaterThan(2);
    expect(run.output).toMatchObject({ files: [{ name: "Project-report.pdf", pages }] });
    for (const part of [
      "Project report",
      "inner point",
      "January",
      "const a = 1;",
      "Ümläute, Кириллица, Ελληνικά",
      `1 / ${pages}`,
    ])
      expect(text).toContain(part);
    expect(info).toMatchObject({ Title: "Project report" });
    expect(outline?.[0]?.title).toBe("Project report");
  });

  it("says which signs the PDF's font has not", async () => {
    const { run } = await write({ markdown: "Hello 漢字 world", formats: ["pdf", "docx"] });
    expect(run.output).toMatchObject({ notes: [expect.stringContaining("漢 字")] });
  });

  it("breaks long tables over pages, and long words in cells", async () => {
    const rows = Array.from(
      { length: 120 },
      (_, at) => `| row ${at} | ${"x".repeat(at % 7 === 0 ? 300 : 5)} |`,
    ).join("\n");
    const { bytes } = await write({ markdown: `| Name | Value |\n|---|---|\n${rows}`, formats: ["pdf"] });
    const { pages, text } = await pdfText(await bytes("pdf"));
    expect(pages).toBeGreaterThan(2);
    expect(text.match(/Name Value/g)?.length).toBe(pages);
    expect(text).toContain("row 119");
  });

  it("drafts a mail that nobody can smuggle headers into", async () => {
    const { bytes } = await write({
      title: "Offer\r\nBcc: evil@example.com",
      markdown: "Dear Ann,\n\n**yes**.",
      formats: ["eml"],
      to: ["ann@example.com"],
    });
    const raw = await bytes("eml");
    const mail = await PostalMime.parse(raw);
    expect(mail.to).toMatchObject([{ address: "ann@example.com" }]);
    expect(mail.bcc).toBeUndefined();
    expect(mail.headers.find(({ key }) => key === "x-unsent")?.value).toBe("1");
    expect(mail.text).toContain("Dear Ann");
    expect(mail.html).toContain("<strong>yes</strong>");
  });

  it("makes a page in which HTML of the text is only text", async () => {
    const { bytes } = await write({
      markdown: `${markdown}\n[x](javascript:alert(1))`,
      formats: ["html", "md"],
    });
    const html = (await bytes("html")).toString();
    expect(html).not.toMatch(/<script|javascript:/);
    expect(html).toContain("<table>");
    expect((await bytes("md")).toString()).toMatch(/^# Project report\n/);
  });

  it("writes from a brief, and gives the text back", async () => {
    const { run } = await write({ brief: "Say that we are on time." }, { answers: ["We are **on time**."] });
    expect(run.output).toMatchObject({
      text: "We are **on time**.",
      files: [{ name: "Project-report.docx" }],
    });
    expect(run.requests[0]?.system).toContain("Make up no facts");
  });

  it.each([
    ["neither text nor brief", {}, /Neither a text nor a brief/],
    ["an empty text", { markdown: " \n", title: "…" }, /nothing to write/],
    ["a brief without a model", { brief: "x" }, /none is set up/],
  ])("fails plainly for %s", async (_name, input, words) => {
    const { run } = await write(input);
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("leaves out pictures that are elsewhere or none, and says so", async () => {
    const { run } = await write({
      markdown: "Text ![a](https://x.example/a.png) ![b](../../../etc/passwd) ![c](nope.png)",
    });
    expect((run.output as { notes: string[] }).notes).toHaveLength(3);
    expect(run.status).toBe("ok");
  });

  it("costs what its example costs", async () => {
    const { bench } = await write({ markdown });
    expect(await bench.cost("simple-writing")).toEqual({
      tools: 260,
      guide: 140,
      calls: 0,
      asked: 0,
      answered: 0,
    });
  });
});

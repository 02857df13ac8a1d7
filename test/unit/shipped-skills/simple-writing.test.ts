import mammoth from "mammoth";
import PostalMime from "postal-mime";
import { extractText, getDocumentProxy } from "unpdf";
import { describe, expect, it } from "vitest";
import {
  type Format,
  type Job,
  type MadeFiles,
  makeFiles,
} from "../../../skills/simple-writing/make-files.ts";
import { readMarkdown } from "../../../skills/simple-writing/markdown-blocks.ts";
import { writeFiles } from "../../../skills/simple-writing/write-files.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const markdown = `Intro with **bold**, *italic*, \`code\` and a [link](https://example.com/a).[^1]

## Plan

3. First
4. Second
   - inner point

   A second paragraph.
- [x] done
- [ ] open

> A quoted line.

| Month | Orders |
|:---|---:|
| **January** | 12 |
| February | 19 |

\`\`\`
const a = 1;
\`\`\`

![The chart](/workspace/input/chart.png)

Ümläute, Кириллица, Ελληνικά &copy;. <script>alert(1)</script>

[^1]: A *footnote*.
`;
/** One white pixel with an alpha channel; and the same with pixels that cannot be unpacked. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const broken = Buffer.from(png).fill(0x77, 43, 53);
const signal = new AbortController().signal;

function jobOf(job: Partial<Job>): Job {
  return {
    ...{ title: "Project report", markdown, formats: ["docx"], author: "Ada" },
    ...{ language: undefined, to: [], now: Date.UTC(2026, 10, 24), ...job },
  };
}

/** Makes files as the skill's thread does, without starting one; the thread has chart.png. */
async function make(job: Partial<Job>) {
  const whole = jobOf(job);
  const text = readMarkdown(whole.markdown);
  const path = "/workspace/input/chart.png";
  const made: MadeFiles = { files: [], words: 0, notes: [] };
  const pictures = new Map(text.pictures.includes(path) ? [[path, png]] : []);
  for await (const message of writeFiles(whole, text, pictures)) {
    if (message.kind === "made") made.files.push(message.file);
    if (message.kind !== "making") made.notes.push(...message.notes);
  }
  const bytes = (format: Format) =>
    Buffer.from(made.files.find((file) => file.format === format)?.data ?? []);
  return { made, bytes };
}

async function readDocx(buffer: Buffer) {
  const options = { styleMap: ["p[style-name='Title'] => h1.title:fresh"] };
  const { value, messages } = await mammoth.convertToHtml({ buffer }, options);
  return { html: value, errors: messages.filter(({ type }) => type === "error") };
}

/** The texts of a PDF as they are placed, points. */
async function itemsOf(data: Uint8Array) {
  const pdf = await getDocumentProxy(new Uint8Array(data));
  const pages = Array.from({ length: pdf.numPages }, async (_, at) => {
    const { items } = await (await pdf.getPage(at + 1)).getTextContent();
    return items.flatMap((item) =>
      "str" in item
        ? [{ text: item.str, x: Number(item.transform[4]), width: item.width, page: at + 1 }]
        : [],
    );
  });
  return (await Promise.all(pages)).flat();
}

async function readPdf(data: Uint8Array) {
  const pdf = await getDocumentProxy(new Uint8Array(data));
  const { text } = await extractText(pdf, { mergePages: true });
  return { text, pages: pdf.numPages, info: (await pdf.getMetadata()).info, outline: await pdf.getOutline() };
}

describe("the simple-writing skill", () => {
  it("the simple-writing skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/simple-writing")).toEqual({ valid: true, errors: [] });
  });

  it("the simple-writing skill posts a Word file and a PDF of a text with a picture of the thread", async () => {
    const bench = createSkillBench({ attached: { "chart.png": png } });
    const run = await bench.run("simple-writing", {
      ...{ title: "Project report", markdown, formats: ["docx", "pdf"], language: "de-DE" },
    });
    expect(run.output).toEqual({
      files: [{ name: "Project-report.docx" }, { name: "Project-report.pdf", pages: 1 }],
      words: 39,
      notes: ["HTML in the Markdown is shown as text."],
    });
    expect(run.steps).toContain("make files");
    expect(run.files.map(({ media_type }) => media_type)).toEqual([
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/pdf",
    ]);
    expect(await bench.cost("simple-writing")).toMatchObject({ calls: 0 });
  });

  it("the simple-writing skill writes from a brief, and gives the text back", async () => {
    const bench = createSkillBench({ answers: ["We are **on time**."] });
    const run = await bench.run("simple-writing", { title: "Status", brief: "Say that we are on time." });
    expect(run.output).toMatchObject({ text: "We are **on time**.", files: [{ name: "Status.docx" }] });
    expect(run.requests[0]?.system).toContain("Make up no facts");
  });

  it.each([
    ["neither text nor brief", {}, /Neither a text nor a brief/],
    ["an empty text", { markdown: " \n", title: "…" }, /nothing to write/],
    ["a brief without a model", { brief: "x" }, /none is set up/],
    ["two addresses in one", { markdown: "x", to: ["a@b.example,evil@c.example"] }, /to/],
  ])("the simple-writing skill fails plainly for %s", async (_name, input, words) => {
    const run = await createSkillBench().run("simple-writing", { title: "A", ...input });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the simple-writing skill leaves out pictures that are elsewhere or broken, and says so", async () => {
    const bench = createSkillBench({ attached: { "broken.png": broken } });
    const run = await bench.run("simple-writing", {
      ...{ title: "A", formats: ["html"] },
      markdown:
        "Text ![a](https://x.example/a.png) ![b](../../../etc/passwd) ![c](nope.png) ![d](broken.png)",
    });
    expect((run.output as { notes: string[] }).notes).toEqual([
      expect.stringContaining("are not fetched"),
      expect.stringContaining(
        "broken.png was left out: it is no PNG or JPEG picture with at most 25 million pixels",
      ),
      expect.stringContaining("There is no file ../../../etc/passwd"),
      expect.stringContaining("There is no file nope.png"),
    ]);
    expect(run.files).toHaveLength(1);
  });

  it("the simple-writing skill costs what its example costs", async () => {
    const bench = createSkillBench();
    await bench.run("simple-writing", { title: "Report", markdown: "Text", formats: ["md"] });
    expect(await bench.cost("simple-writing")).toEqual({
      ...{ tools: 210, guide: 160 },
      ...{ calls: 0, asked: 0, answered: 0 },
    });
  });
});

describe("a Word file", () => {
  it("a Word file has headings, lists with their numbers, tables, links, footnotes and pictures", async () => {
    const { bytes } = await make({ language: "de-DE" });
    const { html, errors } = await readDocx(bytes("docx"));
    expect(errors).toEqual([]);
    expect(html).toContain('<h1 class="title">Project report</h1>');
    expect(html).toContain("<h2>Plan</h2>");
    expect(html).toMatch(/<strong>bold<\/strong>, <em>italic<\/em>/);
    expect(html).toContain('<a href="https://example.com/a">link</a>');
    expect(html).toMatch(/<ol><li>First<\/li><li>Second<ul><li>inner point/);
    expect(html).toMatch(/<thead>.*Orders.*<\/thead>.*<strong>January<\/strong>.*19.*<\/table>/s);
    expect(html).toMatch(/A <em>footnote<\/em>/);
    expect(html).toContain("<img");
    expect(html).toContain("Кириллица, Ελληνικά ©. &lt;script&gt;");
  });

  it("a Word file has a table of contents when it is long", async () => {
    const section = (at: number) => `## Part ${at}\n\n${"words of it ".repeat(67)}\n`;
    const { bytes } = await make({
      markdown: Array.from({ length: 6 }, (_, at) => section(at)).join("\n"),
      formats: ["docx", "pdf"],
    });
    const { value } = await mammoth.extractRawText({ buffer: bytes("docx") });
    expect(value.match(/Part 5/g)).toHaveLength(2);
    expect((await readPdf(bytes("pdf"))).text).toMatch(/Part 5 \d/);
  });
});

describe("a letter", () => {
  const letter = `Müller & Söhne GmbH\nGrößenstraße 12\n80331 München\n\n**Ihr Angebot vom 10. November – Nr. 4711**

Sehr geehrter Herr Weiß,\nvielen Dank für Ihr Angebot.\n\n${"Wrapped text, which goes on and on for about eighty characters in every line,\n".repeat(3)}here.`;

  it("a letter keeps the lines of addresses, joins those of wrapped text, and has its subject once", async () => {
    const formats = ["docx", "pdf", "html", "md"] as const;
    const { bytes } = await make({ title: "Ihr Angebot vom 10. November", markdown: letter, formats });
    const html = bytes("html").toString();
    expect(html).toMatch(/Söhne GmbH<br>\s*Größenstraße 12<br>\s*80331 München<\/p>/);
    expect(html).toMatch(/in every line,\s+Wrapped text/);
    expect(html).not.toContain("<h1>");
    expect((await readDocx(bytes("docx"))).html).toMatch(/^<p>Müller.*Weiß,<br \/>vielen/s);
    expect((await readPdf(bytes("pdf"))).text.match(/Ihr Angebot vom/g)).toHaveLength(1);
    expect(bytes("md").toString()).toBe(letter);
  });

  it.each([
    ["Betreff: Umzug", "Umzug", 0],
    ["Umzug ist bald", "Umzug", 1],
    ["**Umzug** ist bald, und zwar", "Umzug ist bald,", 1],
  ])("a letter shows its title unless a line states it: %j, %j", async (line, title, shown) => {
    const { bytes } = await make({ title, markdown: `Sender\n\n${line}`, formats: ["html"] });
    expect(bytes("html").toString().match(/<h1>/g) ?? []).toHaveLength(shown);
  });
});

describe("a PDF", () => {
  it("a PDF has the same, an outline, pages and their numbers", async () => {
    const { made, bytes } = await make({ markdown: markdown.repeat(4), formats: ["pdf"] });
    const { pages, text, info, outline } = await readPdf(bytes("pdf"));
    expect(pages).toBeGreaterThan(1);
    expect(made.files[0]?.pages).toBe(pages);
    for (const part of [
      "Project report",
      "3. First",
      "inner point",
      "January",
      "const a = 1;",
      "Ελληνικά ©",
      `1 / ${pages}`,
    ])
      expect(text).toContain(part);
    expect(info).toMatchObject({ Title: "Project report", Author: "Ada" });
    expect(outline?.map(({ title }) => title)).toEqual(["Plan", "Plan", "Plan", "Plan"]);
  });

  it("a PDF breaks long tables over pages below their head, long rows and long words", async () => {
    const rows = Array.from(
      { length: 120 },
      (_, at) => `| row ${at} | ${"x".repeat(at % 7 === 0 ? 300 : 5)} |`,
    );
    const table = `| Name | Value |\n|---|---|\n${rows.join("\n")}\n| last | ${"long ".repeat(3_000)} |`;
    const { bytes } = await make({ markdown: table, formats: ["pdf"] });
    const { pages, text } = await readPdf(bytes("pdf"));
    expect(pages).toBeGreaterThan(5);
    expect(text.match(/Name Value/g)?.length).toBe(pages);
    expect(text).toContain("row 119");
  });

  it("a PDF says which characters its font lacks, and that it does not order right-to-left words", async () => {
    const { made } = await make({ markdown: "Hello 漢字\n\nשלום (word)", formats: ["pdf"] });
    expect(made.notes).toEqual([expect.stringContaining("漢 字"), expect.stringContaining("right-to-left")]);
  });

  it("a PDF keeps characters its font lacks within its margins, with a similar character where there is one", async () => {
    const { made, bytes } = await make({ markdown: `✅ done\n\n${"漢字".repeat(200)}`, formats: ["pdf"] });
    expect(made.notes[0]).toContain("no 漢 字;");
    const items = await itemsOf(bytes("pdf"));
    expect(items.map(({ text }) => text).join("")).toMatch(/✔ done.*□{20}/);
    expect(Math.max(...items.map(({ x, width }) => x + width))).toBeLessThan(595 - 60);
  });

  it("a PDF leaves no heading, no head of a table and no line alone at an edge of a page", async () => {
    const cell = "words ".repeat(60);
    const section = (_: unknown, at: number) => {
      const filler = Array.from({ length: 20 + 3 * at }, (_line, line) => `${line}.`).join("\\\n");
      const table = `| Head${at} | B |\n|---|---|\n| first${at} ${cell} | ${cell} |`;
      return `${filler}\n\n## Upper${at}\n\n### Lower${at}\n\n${table}`;
    };
    const paragraphs = `${"long words ".repeat(37)}ending\n\n`.repeat(80);
    const markdown = `${Array.from({ length: 8 }, section).join("\n\n")}\n\n${paragraphs}`;
    const items = await itemsOf((await make({ title: "A", markdown, formats: ["pdf"] })).bytes("pdf"));
    const pageOf = (word: string) => items.findLast(({ text }) => text.startsWith(word))?.page;
    for (let at = 0; at < 8; at += 1)
      expect(new Set(["Upper", "Lower", "Head", "first"].map((word) => pageOf(word + at))).size).toBe(1);
    const byPage = [...Map.groupBy(items, ({ page }) => page).values()];
    const firsts = byPage.map(([first]) => first?.text ?? "");
    expect(firsts.filter((text) => text.includes("ending"))).toEqual([]);
  });

  it("a PDF makes letters of a wide table smaller rather than break its words", async () => {
    const row = (text: string) => `| ${Array.from({ length: 12 }, (_, at) => `${text} ${at}`).join(" | ")} |`;
    const markdown = `${row("Column")}\n|${"---|".repeat(12)}\n${row("1000")}`;
    const { bytes } = await make({ markdown, formats: ["pdf"] });
    expect((await readPdf(bytes("pdf"))).text.match(/Column/g)).toHaveLength(12);
  });
});

describe("a mail and a page", () => {
  it("a mail is a draft that nobody can smuggle headers into", async () => {
    const { bytes } = await make({
      ...{ title: "Offer\r\nBcc: evil@example.com", formats: ["eml"], to: ["ann@example.com"] },
      markdown: "Dear Ann,\n\n**yes**. ![Chart](/workspace/input/chart.png)",
    });
    const mail = await PostalMime.parse(bytes("eml"));
    expect(mail.to).toMatchObject([{ address: "ann@example.com" }]);
    expect([mail.bcc, mail.subject]).toEqual([undefined, "Offer Bcc: evil@example.com"]);
    expect(mail.headers.find(({ key }) => key === "x-unsent")?.value).toBe("1");
    expect(mail.text).toContain("Dear Ann");
    expect(mail.text).toContain("[Chart]");
    expect(mail.text).not.toContain("/workspace");
    expect(mail.html).toMatch(/<strong>yes<\/strong>.*src="cid:/s);
    expect(mail.attachments).toMatchObject([{ mimeType: "image/png" }]);
  });

  it("a page shows HTML of the text, and runs none", async () => {
    const { bytes } = await make({
      markdown: `${markdown}\n[x](javascript:alert(1))`,
      formats: ["html", "md"],
    });
    const html = bytes("html").toString();
    expect(html).not.toMatch(/<script|javascript:/);
    expect(html).toMatch(/<ol start="3">.*<table>.*<img src="data:image\/png;base64,/s);
    expect(bytes("md").toString()).toMatch(/^# Project report\n/);
  });
});

describe("hostile text", () => {
  it("hostile text still becomes files", async () => {
    const texts = [
      "signs that XML does not know: a\u0000b\u0008 \ud800 &#1; &#xfffe;",
      "|a|b|\n|-|-|\n||\n\n- \n- x\n\n1. ",
      "a footnote[^1] of itself[^2]\n\n[^1]: see [^1] and [^2]",
      Array.from({ length: 40 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n"),
    ];
    const { made, bytes } = await make({
      markdown: texts.join("\n\n"),
      formats: ["docx", "pdf", "html", "eml"],
    });
    expect(made.files).toHaveLength(4);
    expect((await readDocx(bytes("docx"))).errors).toEqual([]);
  });

  it("hostile text that keeps a parser busy ends with its time, and holds nobody else up", async () => {
    const before = performance.now();
    const job = jobOf({ markdown: "[".repeat(200_000) });
    const around = { signal, timeoutMs: 200, pictures: async () => new Map(), making: () => undefined };
    expect(await makeFiles(job, around)).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it("a table is cut to the columns that Word opens, and says so", () => {
    const row = (cell: string) => `|${` ${cell} |`.repeat(70)}`;
    const { blocks, notes } = readMarkdown([row("name"), row("---"), row("x")].join("\n"));
    expect(blocks).toMatchObject([{ kind: "table", header: { length: 63 }, rows: [{ length: 63 }] }]);
    expect(notes).toEqual(["A table is cut: its columns 64 to 70 were left out. Use a spreadsheet."]);
  });

  it("tables of a text are cut to ten thousand cells together, and say so", () => {
    const rowsOf = (count: number) => Array.from({ length: count }, () => "| a | b |").join("\n");
    const table = (count: number) => `| x | y |\n|---|---|\n${rowsOf(count)}`;
    const { blocks, notes } = readMarkdown(`${table(2_999)}\n\nThen\n\n${table(2_500)}`);
    const because = "were left out, because a text has at most 10,000 cells. Use a spreadsheet.";
    expect(blocks).toMatchObject([{ rows: { length: 2_999 } }, {}, { rows: { length: 1_999 } }]);
    expect(notes).toEqual([`A table is cut: its rows 2000 to 2500 ${because}`]);
  });

  it("hostile text is read as blocks without HTML and without active addresses", () => {
    const { blocks, notes } = readMarkdown(
      "<b onclick=x>hi</b> [a](javascript:x) [b](data:text/html,x)<br>c",
    );
    expect(blocks).toEqual([
      {
        kind: "paragraph",
        inlines: [
          ...["<b onclick=x>", "hi", "</b>", " ", "a", " ", "b"].map((text) => ({ kind: "text", text })),
          { kind: "break" },
          { kind: "text", text: "c" },
        ],
      },
    ]);
    expect(notes).toHaveLength(2);
  });
});

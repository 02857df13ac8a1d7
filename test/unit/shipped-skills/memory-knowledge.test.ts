import { describe, expect, it } from "vitest";
import { cutPieces } from "../../../skills/memory/learn.ts";
import { excerpt } from "../../../skills/memory/recall.ts";
import type { DocumentReader } from "../../../src/core/ports/documents.ts";
import type { Embedder } from "../../../src/core/ports/services.ts";
import type { Web } from "../../../src/core/ports/web.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { forgetPerson } from "../../support/bot/ask-app.ts";
import { createMemoryKnowledge } from "../../support/fakes/memory-stores.ts";
import { createSkillBench, type SkillBenchOptions } from "../../support/skills/skill-bench.ts";
import { ada, ben, home } from "../../support/test-app.ts";

interface Recalled {
  summary: string;
  facts: Json[];
  passages?: {
    document: string;
    document_id: number;
    place?: string;
    text: string;
    by: string;
    link?: string;
  }[];
  conversations?: { question: string; answer: string; by: string; at: string; link?: string }[];
  documents?: { id: number; title: string }[];
}

/** A reader that answers these texts for files of these names. */
const reads = (texts: Record<string, { text: string; note?: string }>): DocumentReader => ({
  formatOf: (name) => (texts[name] === undefined ? undefined : "PDF"),
  read: async ({ name }) => ({ ok: true, format: "PDF", text: "", left_out: [], ...texts[name] }),
  table: async () => ({ ok: false, problem: "no table" }),
});

/** Vectors by what texts are about: time off, or money. */
function meanings(): Embedder & { made: string[][] } {
  const made: string[][] = [];
  const about = (text: string) => [
    /vacation|holiday|leave/i.test(text),
    /salary|payroll|money/i.test(text),
    true,
  ];
  return {
    made,
    model: "test/meanings",
    async embed(texts) {
      made.push([...texts]);
      const vectors = texts.map((text) => {
        const numbers = about(text).map((is, at) => (is ? (at === 2 ? 0.1 : 1) : 0));
        const length = Math.hypot(...numbers);
        return Float32Array.from(numbers, (number) => number / length);
      });
      return {
        vectors,
        model: "test/meanings",
        usage: { input_tokens: 5, output_tokens: 0, cost_usd: 0.001 },
      };
    },
  };
}

/** A bench whose channel can learn. */
function bench({ means, ...options }: SkillBenchOptions = {}) {
  const knowledge = createMemoryKnowledge();
  const made = createSkillBench({ means: { knowledge, ...means }, ...options });
  return {
    ...made,
    knowledge,
    learn: async (input: Record<string, Json>) => made.run("memory#learn", input),
    recall: async (query?: string) =>
      (await made.run("memory#recall", query === undefined ? {} : { query })).output as unknown as Recalled,
    forget: async (document: string) => made.run("memory#forget", { document }),
  };
}

const page = (number: number, text: string) => `--- page ${number} ---\n${text}\n`;

/** 60 pages about nothing in particular, with one fact in them. */
const lease = Array.from({ length: 60 }, (_, at) => {
  const filler = `Clause ${at + 1}. The parties agree on the terms of this clause as set out herein. `.repeat(
    25,
  );
  const fact = at === 36 ? "The tenant may terminate with a notice period of seven months. " : "";
  return page(at + 1, `${filler}\n\n${fact}${filler}`);
}).join("");

describe("what a channel learns", () => {
  it("a learned fact in a document of 60 pages is found in another thread, with its page and who added it", async () => {
    const { learn, recall } = bench({
      attached: { "lease.pdf": "%PDF" },
      documents: reads({ "lease.pdf": { text: lease, note: "2 pages are scans and are not in it." } }),
    });
    const learned = await learn({ what: "lease.pdf" });
    expect(learned.output).toMatchObject({
      summary: expect.stringMatching(
        /^Learned lease\.pdf as document 1, in \d+ passages\..*forget document 1/,
      ),
      document: { id: 1, title: "lease.pdf", by: "Ada" },
      notes: ["lease.pdf: 2 pages are scans and are not in it."],
    });
    expect(learned.progress).toEqual(expect.arrayContaining(["Learning lease.pdf"]));
    const [passage] = (await recall("notice period for the tenant")).passages ?? [];
    expect(passage).toMatchObject({ document: "lease.pdf", document_id: 1, place: "page 37", by: "Ada" });
    expect(passage?.text).toContain("seven months");
    expect(passage?.text.length).toBeLessThan(2_000);
  });

  it("a learned document is found by meaning where vectors are made, and their cost is counted", async () => {
    const embedder = meanings();
    const { learn, run, recall } = bench({ means: { embedder } });
    const learned = await learn({
      text: "# Time off\nEverybody has thirty days of vacation.\n# Pay\nPayroll runs on the 25th.",
      title: "Handbook",
    });
    const paid = ({ usage }: typeof learned) => usage.filter(({ model }) => model === embedder.model);
    expect(paid(learned)).toMatchObject([{ cost_usd: 0.001 }]);
    expect(embedder.made[0]?.[0]).toBe("Handbook, Time off\nEverybody has thirty days of vacation.");
    expect((await recall("how much holiday is there?")).passages?.[0]).toMatchObject({
      place: "Time off",
      text: "Everybody has thirty days of vacation.",
    });
    expect(paid(await run("memory#recall", { query: "holiday" }))).toMatchObject([{ cost_usd: 0.001 }]);
  });

  it("a learned document is found by its words where the vector service is away", async () => {
    const embedder: Embedder = { model: "test/away", embed: async () => undefined };
    const { learn, recall } = bench({ means: { embedder } });
    expect((await learn({ text: "The door code is 4711.", title: "Doors" })).status).toBe("ok");
    expect((await recall("door code")).passages).toMatchObject([{ text: "The door code is 4711." }]);
  });

  it.each<[string, SkillBenchOptions, Record<string, Json>, RegExp]>([
    [
      "a scanned PDF",
      {
        attached: { "scan.pdf": "%PDF" },
        documents: reads({ "scan.pdf": { text: "", note: "Its 3 pages are scans." } }),
      },
      { what: "scan.pdf" },
      /scan\.pdf has no text.*3 pages are scans.*no_text.*OCR/,
    ],
    ["an empty file", { attached: { "a.txt": "" } }, { what: "a.txt" }, /no text|empty|nothing/i],
    ["a file that is not there", {}, { what: "nothing.pdf" }, /no_such_file/],
    ["a text without a title", {}, { text: "x" }, /no_title/],
    ["nothing", {}, {}, /nothing_named/],
    ["two things at once", {}, { what: "a.txt", text: "x" }, /two_things/],
  ])("a refusal to learn says why: %s", async (_name, options, input, words) => {
    const { learn, knowledge } = bench(options);
    const { status, output } = await learn(input);
    expect([status, JSON.stringify(output)]).toEqual(["error", expect.stringMatching(words)]);
    expect(await knowledge.list(home.namespace)).toEqual([]);
  });

  it("a learned document can be a web page, whose address follows the rules for addresses", async () => {
    const web: Web = {
      fetch: () => Promise.reject(new Error("no")),
      read: async (url) => ({
        url,
        title: "Travel policy",
        text: "Hotels cost up to 150 euros.",
        length: 28,
      }),
    };
    const { app, learn, recall } = bench({ web });
    await app.ask("See https://wiki.example/travel");
    expect((await learn({ what: "https://wiki.example/travel" })).status).toBe("ok");
    expect((await recall("hotel")).passages).toMatchObject([{ link: "https://wiki.example/travel" }]);
  });

  it("a learned document replaces what was learned of the same file before, and says so", async () => {
    const { learn, recall, knowledge } = bench();
    await learn({ text: "Lunch is at noon.", title: "Times" });
    const again = await learn({ text: "Lunch is at one.", title: "Times" });
    expect(again.output).toMatchObject({
      notes: [expect.stringMatching(/^It replaces Times, which Ada added on 20.* as document 1\.$/)],
    });
    expect((await recall("lunch")).passages?.map(({ text }) => text)).toEqual(["Lunch is at one."]);
    expect(await knowledge.list(home.namespace)).toHaveLength(1);
  });

  it("a learned document keeps the file of the same name that somebody else added, and says so", async () => {
    const { learn, knowledge } = bench({ attached: { "report.txt": "Lunch is at noon." } });
    const ofBen = async (source: string) =>
      knowledge.add(home.namespace, { title: "report.txt", source, author: "ben", by: "Ben", at: 1 }, [
        { text: "Ben's own.", place: "" },
      ]);
    await ofBen("/workspace/input/report.txt#0123456789abcdef0123456789abcdef");
    const { output } = await learn({ what: "report.txt" });
    expect(output).toMatchObject({
      notes: [
        "report.txt, which Ben added on 1970-01-01 as document 1, is a different document and stays. Forget it if this is its new version.",
      ],
    });
    const [own] = await knowledge.list(home.namespace);
    await knowledge.remove(home.namespace, [1]);
    // The same text is one document, whoever adds it.
    await ofBen(own?.source ?? "");
    await learn({ what: "report.txt" });
    expect(await knowledge.list(home.namespace)).toMatchObject([{ by: "Ada", title: "report.txt" }]);
  });

  it("a learned document is forgotten when the asker agrees, or wrote the command [asks-1]", async () => {
    const { learn, run, app } = bench();
    await learn({ text: "Soup.", title: "Menu" });
    await learn({ text: "Cake.", title: "Sweets" });
    expect((await run("memory#forget", { document: "Menu" })).asked).toMatchObject([{ approver: "asker" }]);
    const { turnId } = await app.ask("/skill run memory#forget document=Sweets");
    const types = (await app.events(turnId)).map(({ type }) => type);
    expect(types).not.toContain("approval_requested");
  });

  it("a learned document has as many vectors as there is time for, and says so", async () => {
    const embedder = meanings();
    let later = 0;
    const embed: Embedder["embed"] = (texts, signal) => {
      later += 500_000;
      return embedder.embed(texts, signal);
    };
    const clock = { ...systemClock, now: () => systemClock.now() + later };
    const { learn } = bench({ means: { embedder: { ...embedder, embed } }, clock });
    const text = Array.from({ length: 200 }, (_, at) => `# Rule ${at}\nLunch is at noon.`).join("\n");
    expect((await learn({ text, title: "Rules" })).output).toMatchObject({
      notes: ["Its last 72 passages can be found only by their words."],
    });
  });

  it("a learned table has its rows found with the names of their columns", async () => {
    const rows = Array.from({ length: 400 }, (_, at) => `R${at},Widget ${at},${at * 7}`);
    const orders = `region,product,units\n${rows.join("\n")}`;
    const sheets = `--- Orders ---\n${orders}\n--- People ---\nname,role\nZoe,chief wombat\n`;
    const { learn, recall } = bench({
      attached: { "orders.csv": orders, "book.xlsx": "PK" },
      documents: reads({ "book.xlsx": { text: sheets } }),
    });
    for (const what of ["orders.csv", "book.xlsx"]) {
      await learn({ what });
      const found = (await recall("units of Widget 317")).passages?.find(({ document }) => document === what);
      expect(found?.text).toMatch(/^region,product,units\nR\d+,[\s\S]*R317,Widget 317,2219/);
    }
    expect((await recall("chief wombat")).passages?.[0]?.text).toBe("name,role\nZoe,chief wombat");
  });

  it("a channel with no room left learns nothing", async () => {
    const { learn, knowledge } = bench();
    for (let at = 0; at < 300; at += 1)
      await knowledge.add(home.namespace, { title: "t", source: `s${at}`, author: "ada", by: "Ada", at }, []);
    expect((await learn({ text: "x", title: "One more" })).output).toMatchObject({ code: "knowledge_full" });
  });

  it("learned documents are listed by a recall without a query, and forgotten by number, title or slash command", async () => {
    const { learn, recall, forget, app } = bench();
    for (const title of ["Handbook 2025", "Handbook 2026", "Menu"])
      await learn({ text: `The ${title}.`, title });
    expect((await recall()).documents?.map(({ title }) => title).toSorted()).toEqual([
      "Handbook 2025",
      "Handbook 2026",
      "Menu",
    ]);
    expect((await forget("handbook")).output).toMatchObject({
      summary: expect.stringContaining("nothing was forgotten"),
      documents: [{ id: expect.any(Number) }, {}],
    });
    expect((await forget("handbook 2025")).output).toMatchObject({ document: { title: "Handbook 2025" } });
    expect((await forget("#2")).output).toMatchObject({ document: { title: "Handbook 2026" } });
    expect((await forget("handbook")).output).toMatchObject({ code: "not_found" });
    const { end } = await app.ask("/skill run memory#forget document=3");
    expect(end.text).toContain("Forgotten: Menu");
    expect((await recall("handbook menu")).passages).toBeUndefined();
  });

  it("a learned document belongs to its channel only [delete-4]", async () => {
    const { app, knowledge, recall, forget } = bench();
    const there = "console:local:other";
    await knowledge.add(there, { title: "Merger", source: "m", author: "ben", by: "Ben", at: 1 }, [
      { text: "The merger closes in May.", place: "" },
    ]);
    await app.ask("When does the merger close?", { namespace: there, by: ben });
    const found = await recall("merger close May");
    expect([found.passages, found.conversations]).toEqual([undefined, undefined]);
    expect((await forget("Merger")).output).toMatchObject({ code: "not_found" });
    expect(await knowledge.list(there)).toHaveLength(1);
  });
});

describe("what was talked about", () => {
  it("an earlier talk is recalled from another thread, with its speaker, time and link", async () => {
    const { app, recall } = bench();
    await app.ask("We decided to host staging in Falkenstein, please keep that in mind", {
      by: ben,
      thread: "t9",
    });
    const { summary, conversations } = await recall("where is staging hosted?");
    expect(summary).toContain("1 earlier conversation may help.");
    expect(conversations).toEqual([
      {
        question: "We decided to host staging in Falkenstein, please keep that in mind",
        answer: "Done.",
        by: "Ben",
        at: expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d \+00:00$/),
        link: "/#/general/t9",
      },
    ]);
  });

  it("an earlier talk is not recalled a second time where it became a fact", async () => {
    const { app, run, recall } = bench();
    await app.ask("Remember that staging is in Falkenstein.", { by: ben, thread: "t9" });
    await run("memory#remember", { text: "Staging is in Falkenstein" });
    const { summary, facts, conversations } = await recall("where is staging?");
    expect([summary, facts.length, conversations]).toEqual(["One fact fits.", 1, undefined]);
  });

  it("a deleted talk is not recalled [delete-4]", async () => {
    const { app, recall } = bench();
    const { turnId } = await app.ask("staging is in Falkenstein", { by: ben, thread: "t9" });
    expect((await recall("Falkenstein")).conversations).toHaveLength(1);
    await app.app.run("turn.forget", {
      input: { id: turnId },
      asker: { by: ada, namespace: home.namespace },
    });
    expect((await recall("Falkenstein")).conversations).toBeUndefined();
  });

  it("a forgotten person's talks are not recalled, nor their documents, nor what was recalled of both", async () => {
    const { app, learn, recall, knowledge } = bench();
    await app.ask("staging is in Falkenstein", { by: ben, thread: "t9" });
    await knowledge.add(
      home.namespace,
      { title: "Ben's notes", source: "n", author: "ben", by: "Ben", at: 1 },
      [{ text: "The wombat sleeps.", place: "" }],
    );
    await learn({ text: "The menu has soup.", title: "Menu" });
    await recall("Falkenstein wombat soup");
    const asker = { by: ada, namespace: "console:local:dm" };
    const counted = { turns: 1, other_turns: 1, documents: 1 };
    expect(await forgetPerson(app.app, "console:local:ben", asker, { dryRun: true })).toMatchObject({
      value: counted,
    });
    expect(await knowledge.list(home.namespace)).toHaveLength(2);
    expect(await forgetPerson(app.app, "console:local:ben", asker)).toMatchObject({ value: counted });
    expect((await knowledge.list(home.namespace)).map(({ title }) => title)).toEqual(["Menu"]);
    const turns = await app.log.list({ namespace: home.namespace, limit: 50 });
    const kept = await Promise.all(turns.map(({ turn_id }) => app.log.read(turn_id)));
    expect(JSON.stringify(kept)).not.toMatch(/Falkenstein is|wombat sleeps|staging is/);
    const after = await recall("Falkenstein wombat soup");
    expect(after.passages?.map(({ document }) => document)).toEqual(["Menu"]);
  });
});

it("the memory-knowledge skill costs what its example costs", async () => {
  const { run, cost } = bench();
  await run("memory#remember", { text: "The deploy is on Friday" });
  expect(await cost("memory")).toEqual({ tools: 410, guide: 280, calls: 0, asked: 0, answered: 0 });
});

describe("the pieces of a document", () => {
  const words = (count: number, end = ".") =>
    `${Array.from({ length: count }, (_, at) => `w${at}`).join(" ")}${end}`;

  it("the pieces of a document stay short, within their section, and repeat the end of the previous one", () => {
    const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph ${at}. ${words(30)}`);
    const pieces = cutPieces([
      { place: "page 1", text: paragraphs.join("\n\n") },
      { place: "page 2", text: "Short." },
    ]);
    expect(pieces.at(-1)).toEqual({ place: "page 2", text: "Short." });
    const first = pieces.filter(({ place }) => place === "page 1").map(({ text }) => text);
    expect(first.length).toBeGreaterThan(3);
    for (const text of first) expect(text.length).toBeLessThanOrEqual(1_600);
    for (const paragraph of paragraphs) expect(first.some((text) => text.includes(paragraph))).toBe(true);
    for (const [at, text] of first.slice(1).entries()) {
      const [beginning = ""] = text.split("\n\n");
      expect(first[at]).toContain(beginning);
    }
  });

  it.each<[string, string]>([
    ["long paragraphs", Array.from({ length: 60 }, (_, at) => `Sentence ${at} ${words(20)}`).join(" ")],
    [
      "rows without sentences",
      Array.from({ length: 200 }, (_, at) => `row ${at};${words(10, "")}`).join("\n"),
    ],
    ["one word without an end", "x".repeat(50_000)],
    ["texts without spaces", "会議は金曜日です。".repeat(400)],
    ["nothing but space", " \n\n \n"],
  ])("the pieces of %s lose nothing and stay bounded", (_name, text) => {
    const pieces = cutPieces([{ place: "", text }]).map((piece) => piece.text);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(1_600);
    const joined = pieces.join("");
    for (const word of new Set(text.match(/Sentence \d+|row \d+;/g) ?? [])) expect(joined).toContain(word);
    expect(joined.replace(/\s/g, "").length).toBeGreaterThanOrEqual(text.replace(/\s/g, "").length);
  });

  it("the pieces of a document show the part of an answer that was searched for", () => {
    const long = `${words(300)} The databases are backed up at night. ${words(300)}`;
    expect(excerpt(long, "database backup", 200)).toMatch(/^….*databases are backed up at night.*…$/);
    expect(excerpt("short", "anything", 200)).toBe("short");
    expect(excerpt(long, "zebra", 50)).toBe(`${long.slice(0, 50)}…`);
  });
});

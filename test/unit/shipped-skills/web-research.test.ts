import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainWords, unfoundNumbers } from "../../../src/base/text/quotation.ts";
import { ModelError, type ModelRequest } from "../../../src/core/ports/model.ts";
import { type Web, type WebSearch, WebSearchError } from "../../../src/core/ports/web.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import {
  honestResearcher,
  lyingResearcher,
  type ResearchWorld,
  researchQuestion,
  startResearchWorld,
} from "../../support/skills/research-world.ts";
import { createSkillBench, type SkillBenchOptions } from "../../support/skills/skill-bench.ts";

interface Report {
  answer: string;
  sources: { n: number; url: string; date?: string }[];
  contradictions: string[];
  outdated: string[];
  not_verified: string[];
  searched: string[];
  left_out: { url: string; why: string }[];
  note?: string;
}

let world: ResearchWorld;
beforeAll(async () => {
  world = await startResearchWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const real = createWeb({ allow: ["127.0.0.1"] });
const known = new Map<string, ReturnType<Web["read"]>>();
/** Reads each page once for all tests, because a page takes longer than the rest of a run. */
const web: Web = {
  ...real,
  read(url) {
    const page = known.get(url) ?? real.read(url);
    known.set(url, page);
    return page;
  },
};

async function research(
  answers: NonNullable<SkillBenchOptions["answers"]>,
  input: object = {},
  look = { atPages: false },
) {
  const bench = createSkillBench({ answers, web, means: { search: world.search } });
  const run = await bench.run("web-research", { question: researchQuestion, ...input });
  const report = run.output as unknown as Report;
  const path = (url: string) => url.slice(world.origin.length);
  const pages = new Map<string, string>();
  const sources = look.atPages ? report.sources : [];
  for (const { url } of sources) pages.set(path(url), (await web.read(url)).text);
  return { run, report, path, pages, cost: () => bench.cost("web-research") };
}

describe("the web-research skill", () => {
  it("the web-research skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/web-research")).toEqual({ valid: true, errors: [] });
  });

  it("the web-research skill answers from ten pages with traps: each claim has a source whose page says it", async () => {
    const { run, report, path, pages } = await research(honestResearcher as never, {}, { atPages: true });
    expect(run.status).toBe("ok");
    expect(report.answer).toMatch(
      /331 metres tall\. (\[\d+\])+\n\nA city guide says 329 metres\. \[\d+\]\n\nIt was opened on 14 May 1998\. \[\d+\]/,
    );
    for (const line of report.answer.split("\n\n")) {
      const named = [...line.matchAll(/\[(\d+)\]/g)].map(
        ([, n]) => report.sources.find((source) => source.n === Number(n))?.url ?? "",
      );
      expect(named.length).toBeGreaterThan(0);
      for (const url of named) expect(unfoundNumbers(line, [pages.get(path(url)) ?? ""])).toEqual([]);
    }
    expect(report.contradictions.join()).toMatch(/331 metres or 329 metres (\[\d+\])+/);
    expect(report.outdated.join()).toContain("2009");
    const why = (page: string) => report.left_out.find(({ url }) => path(url) === page)?.why;
    expect(why("/gone")).toMatch(/404/);
    expect(why("/consent")).toMatch(/consent or login/);
    expect([why("/copy"), why("/official")].filter(Boolean).join()).toMatch(
      /it repeats \[\d+\] in the same words/,
    );
    expect(why("/injected")).toMatch(/says nothing about the question/);
    expect(why("/brochure.pdf")).toBeDefined();
    expect(world.visited.join(" ")).not.toContain("steal");
    expect(run.asked).toEqual([]);
    expect(report.not_verified).toEqual(["who designed it"]);
    expect(report.sources.find(({ url }) => path(url) === "/old")?.date).toBe("2009");
    // It searched again for what was missing, and told its progress.
    expect(report.searched.length).toBeGreaterThan(2);
    expect(run.steps.filter((step) => step === "judge").length).toBeLessThanOrEqual(3);
    expect(run.progress).toEqual(
      expect.arrayContaining([
        "Planning",
        expect.stringMatching(/^Searching for/),
        expect.stringMatching(/^Reading 127/),
        "Checking each statement",
      ]),
    );
  });

  it("the web-research skill takes the parameters of HyperAgent", async () => {
    const bench = createSkillBench({
      answers: honestResearcher as never,
      web,
      means: { search: world.search },
    });
    const run = await bench.run("web-research", { topic: researchQuestion, max_sources: 2 });
    const { sources, left_out } = run.output as unknown as Report;
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.length + left_out.length).toBeLessThanOrEqual(2);
  });

  it("the web-research skill lets nothing through that a lying model makes up [text-3]", async () => {
    const { report, run } = await research(lyingResearcher as never, { depth: "quick" });
    expect(report.answer).not.toMatch(/42 metres|9,999|Everybody|Foster/);
    expect(report.not_verified).toEqual([
      "It is 42 metres tall.",
      "It has 9,999 windows.",
      "Everybody loves it.",
      "The tower was designed by Norman Foster.",
    ]);
    expect(report.contradictions.join()).not.toMatch(/42|evil|999/);
    expect(report.outdated).toEqual(["[1] is of 3 March 2026"]);
    expect(run.steps).toContain("correct");
    expect(plainWords(report.answer)).toContain("331 metres");
  });

  it("the web-research skill reads only four pages where it is to be quick", async () => {
    const { run, report } = await research(honestResearcher as never, { depth: "quick" });
    expect(run.steps.filter((step) => step === "read page")).toHaveLength(4);
    expect(report.searched).toEqual(["Kestrel Tower height", "Kestrel Tower opening"]);
  });

  /** An honest researcher, but for what one kind of request is answered. */
  const but =
    (kind: string, change: (honest: Record<string, unknown>, input: string) => object | string) =>
    (request: ModelRequest) => {
      const honest = honestResearcher(request) as Record<string, unknown>;
      return request.system.startsWith(kind) ? change(honest, request.messages[0]?.text ?? "") : honest;
    };
  const quick = { depth: "quick" };

  it("the web-research skill shows no address and no picture that the model wrote [text-3]", async () => {
    const { report } = await research(
      but("Answer", ({ statements }) => ({
        statements: (statements as object[]).slice(0, 1).map((each) => ({
          ...each,
          text: "It is [331 metres](http://evil.example/?q=1) tall ![x](http://evil.example/2)",
        })),
        not_verified: ["see https://evil.example/3"],
      })) as never,
      quick,
    );
    expect(report.answer).toMatch(/^It is 331 metres tall x \[1\]\[2\]$/);
    expect(JSON.stringify(report)).not.toContain("evil");
  });

  it("the web-research skill takes no quote that begins within a number, and no invalid date", async () => {
    const { report } = await research(
      but("List", () => ({
        published: "The Kestrel Tower is",
        claims: [{ claim: "It is 31 metres tall.", quote: "31 metres tall since its antenna" }],
      })) as never,
      quick,
    );
    expect(report).toMatchObject({ answer: "", sources: [] });
  });

  it.each<[string, string, (input: string) => boolean, RegExp, object]>([
    ["a plan", "Plan", () => true, /331 metres/, { searched: [researchQuestion] }],
    ["a comparison", "Judge", () => true, /331 metres/, { contradictions: [] }],
    ["a check", "Check", () => true, /331 metres/, { note: expect.stringMatching(/could not check/) }],
    ["an answer", "Answer", () => true, /“[^”]*331 metres[^”]*” \[1\]/, { not_verified: [researchQuestion] }],
    [
      "a page",
      "List",
      (input) => input.includes("/old"),
      /331 metres/,
      {
        left_out: expect.arrayContaining([
          { url: expect.stringMatching(/\/old$/), why: expect.stringMatching(/could not make out/) },
        ]),
      },
    ],
  ])(
    "the web-research skill continues when the model fails at %s",
    async (_name, kind, isBroken, answer, rest) => {
      const { report } = await research(
        but(kind, (honest, input) => (isBroken(input) ? "no JSON" : honest)) as never,
        quick,
      );
      expect(report.answer).toMatch(answer);
      expect(report).toMatchObject(rest);
    },
  );

  it("the web-research skill answers from what was found before a search failed, and says so", async () => {
    let searches = 0;
    const search: WebSearch = {
      ...world.search,
      search: async (query, signal) => {
        searches += 1;
        if (searches > 1) throw new WebSearchError("failed", "The engine is down.");
        return await world.search.search(query, signal);
      },
    };
    const bench = createSkillBench({ answers: honestResearcher as never, web, means: { search } });
    const { output } = await bench.run("web-research", { question: researchQuestion, depth: "quick" });
    expect(output).toMatchObject({
      answer: expect.stringContaining("331 metres"),
      note: expect.stringMatching(/search for “Kestrel Tower opening” failed: The engine is down/),
    });
  });

  it("the web-research skill gives what it has when the model stops answering", async () => {
    const away = new ModelError("unavailable", "away");
    const fails = (...kinds: string[]) =>
      ((request: ModelRequest) =>
        kinds.some((kind) => request.system.startsWith(kind)) ? away : honestResearcher(request)) as never;
    const uncompared = await research(fails("Plan", "Judge"), quick);
    expect(uncompared.run.status).toBe("ok");
    expect(uncompared.report).toMatchObject({
      answer: expect.stringContaining("331 metres"),
      searched: [researchQuestion],
      note: expect.stringContaining("was not compared"),
    });
    const unwritten = await research(fails("Judge", "Answer"), quick);
    expect(unwritten.report).toMatchObject({
      answer: expect.stringMatching(/“[^”]*331 metres[^”]*” \[1\]/),
      note: expect.stringContaining("could not write an answer"),
    });
    const unread = await research(fails("Plan", "List", "Judge", "Answer"), quick);
    expect(unread.run.status).toBe("error");
    expect(JSON.stringify(unread.run.output)).toContain("/table");
  });

  it("the web-research skill searches in other words where the first pages say nothing", async () => {
    const silent = await research(but("List", () => ({ published: "", claims: [] })) as never);
    expect(new Set(silent.report.searched).size).toBe(silent.report.searched.length);
    expect(silent.report.searched.length).toBeGreaterThan(2);
  });

  const nothing: WebSearch = {
    engines: ["local"],
    search: async () => ({ hits: [], engines: ["local"], notes: ["Only Wikipedia was searched."] }),
  };
  it("the web-research skill says so when nothing is found, with what the search says", async () => {
    const bench = createSkillBench({ answers: honestResearcher as never, means: { search: nothing } });
    const run = await bench.run("web-research", { question: researchQuestion });
    expect(run.output).toMatchObject({
      answer: "",
      sources: [],
      not_verified: [researchQuestion],
      note: expect.stringMatching(/No page says anything.*Only Wikipedia/s),
    });
  });

  it.each([
    [
      "without an engine",
      { answers: honestResearcher as never },
      /an engine that searches the web, and none is set up/,
    ],
  ])("the web-research skill fails plainly %s", async (_name, options, words) => {
    const run = await createSkillBench(options).run("web-research", { question: researchQuestion });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the web-research skill costs what its example costs", async () => {
    const { cost } = await research(honestResearcher as never, { depth: "quick" });
    const { tools, guide, calls, asked } = await cost();
    expect({ tools, guide }).toEqual({ tools: 140, guide: 120 });
    expect(calls).toBeLessThanOrEqual(8);
    expect(asked).toBeLessThan(8_000);
  });
});

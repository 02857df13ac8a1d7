import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import matter from "gray-matter";
import { describe, expect, it } from "vitest";
import { pageAddress } from "../../../skills/web-scraping/page-address.ts";
import { skill } from "../../../skills/web-scraping/skill.ts";
import { SkillFailure } from "../../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { countTokens } from "../../../src/models/count-tokens.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { startServer } from "../net/local-server.ts";

/** A tool context over the real guarded web. */
function contextWith(allow: string[]) {
  const steps: string[] = [];
  const context = {
    web: createWeb({ allow }),
    signal: new AbortController().signal,
    turn_id: "turn-1",
    store: createMemoryKeyValue(),
    progress: () => undefined,
    step: async <T extends Json>(name: string, work: () => Promise<T> | T): Promise<T> => {
      steps.push(name);
      return await work();
    },
  } as unknown as ToolContext;
  return { context, steps };
}

async function run(input: Record<string, unknown>, context: ToolContext): Promise<string> {
  if (skill.kind !== "single") throw new Error("web-scraping is one tool");
  const { definition } = skill;
  return definition.output.parse(await definition.run(definition.parameters.parse(input), context)) as string;
}

const paragraph = (topic: string) => `<p>${`This sentence is about ${topic}. `.repeat(200)}</p>`;
const longPage = `<title>Animals</title><body>${["whales", "pelicans", "otters"].map(paragraph).join("")}`;
const html = { "content-type": "text/html" };

/** The page behind the three lines that say what it is. */
const textOf = (output: string) => output.split("\n\n").slice(1).join("\n\n");

describe("the web-scraping skill", () => {
  it("the web-scraping skill says first what it read, where redirects led, and how much of it", async () => {
    await using server = await startServer((request, response) => {
      if (request.url === "/old") response.writeHead(301, { location: "/new" }).end();
      else response.writeHead(200, html).end("<title>Short</title><p>Only one paragraph.</p>");
    });
    const { context, steps } = contextWith(["127.0.0.1"]);
    expect(await run({ url: `${server.origin}/old` }, context)).toBe(
      `Untrusted text of a web page: “Short”\n${server.origin}/new\nAll of it: 19 characters.\n\nOnly one paragraph.`,
    );
    expect(steps).toEqual(["fetch"]);
  });

  it("the web-scraping skill gives a long page in parts that make the whole, and fetches it once in a turn", async () => {
    let visits = 0;
    await using server = await startServer((_request, response) => {
      visits += 1;
      response.writeHead(200, html).end(longPage);
    });
    const { context } = contextWith(["127.0.0.1"]);
    const parts: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const output = await run({ url: server.origin, offset }, context);
      parts.push(textOf(output));
      const next = /Call again with offset: (\d+)/.exec(output)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(parts).toHaveLength(3);
    expect(parts.join("")).toMatch(/^This sentence is about whales\.[\s\S]*about otters\.$/);
    expect(visits).toBe(1);
    await run({ url: server.origin }, { ...context, turn_id: "turn-2" });
    expect(visits).toBe(2);
  });

  it.each([
    ["words", "whale ".repeat(20_000)],
    ["addresses", "[x1](https://e.org/a?b=1&c=2) ".repeat(4_000)],
    ["Chinese", "鲸鱼和水獭。".repeat(20_000)],
  ])("the web-scraping skill keeps a part of %s within the limit of a tool output", async (_what, text) => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(text),
    );
    const output = await run({ url: server.origin, max_length: 12_000 }, contextWith(["127.0.0.1"]).context);
    expect(countTokens(output)).toBeLessThan(4_000);
    expect(output).toContain("Call again with offset: ");
  });

  it("the web-scraping skill shows the passages around words, wherever they are, and the beginning when there are none", async () => {
    const page = `${longPage}<p>A ticket costs 12 euros.</p>`;
    await using server = await startServer((_request, response) => response.writeHead(200, html).end(page));
    const { context } = contextWith(["127.0.0.1"]);
    const search = (words: string) => run({ url: server.origin, search: words }, context);
    expect(await search("price|cost")).toMatch(/1 of 1 passages[\s\S]*\d: A ticket costs 12 euros\./);
    expect(await search("what does a ticket cost")).toMatch(/these have 2 of its 4 words[\s\S]*12 euros/);
    const nothing = await search("dragons");
    expect(nothing).toMatch(/The words are not on it\. Characters 0 to \d+ of/);
    expect(textOf(nothing)).toMatch(/^This sentence is about whales/);
  });

  it("the web-scraping skill fails in words a model can act on", async () => {
    await using server = await startServer((_request, response) => response.writeHead(404, html).end("gone"));
    const failure = async (url: string, allow: string[]) => {
      const error: unknown = await run({ url }, contextWith(allow).context).catch(
        (thrown: unknown) => thrown,
      );
      return error instanceof SkillFailure ? error : undefined;
    };
    expect(await failure(server.origin, ["127.0.0.1"])).toMatchObject({
      code: "http_error",
      hint: expect.any(String),
    });
    expect(await failure(server.origin, [])).toMatchObject({
      code: "address_refused",
      hint: expect.stringContaining("operator"),
    });
  });

  it("the web-scraping skill says so when a page has no text", async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, html).end("<script>app()</script>"),
    );
    const running = run({ url: server.origin }, contextWith(["127.0.0.1"]).context);
    await expect(running).rejects.toMatchObject({ code: "empty_page" });
  });
});

describe("pageAddress", () => {
  it.each([
    ["example.com", "https://example.com/"],
    [" example.com/docs?q=1 ", "https://example.com/docs?q=1"],
    ["//example.com/a", "https://example.com/a"],
    ["HTTP://Example.com", "http://example.com/"],
    ["localhost:3000/x", "https://localhost:3000/x"],
    ["<https://example.com/a|the docs>", "https://example.com/a"],
    ['"example.com"', "https://example.com/"],
    ["münchen.example", "https://xn--mnchen-3ya.example/"],
  ])("pageAddress understands %s", (written, address) => {
    expect(pageAddress(written)).toBe(address);
  });

  it.each([
    ["mailto:a@example.com", "e-mail address"],
    ["someone@example.com", "e-mail address"],
    ["tel:+123", "tel: address"],
    ["javascript:alert(1)", "javascript: address"],
    ["ftp://example.com", "ftp: address"],
    ["gopher://example.com", "gopher: address"],
    ["how do tides work", "not a web address"],
    ["wikipedia", "full name of a site"],
    ["", "not a web address"],
  ])("pageAddress says what is wrong with '%s'", (written, reason) => {
    expect(() => pageAddress(written)).toThrow(reason);
  });
});

describe("the web-scraping SKILL.md", () => {
  it("the web-scraping SKILL.md has only the standard's fields, with metadata of text values", async () => {
    const folder = new URL("../../../skills/web-scraping/", import.meta.url);
    const { data } = matter(await readFile(new URL("SKILL.md", folder), "utf8"), {});
    const known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    expect(Object.keys(data).filter((field) => !known.includes(field))).toEqual([]);
    expect(data.name).toBe(basename(folder.pathname));
    expect(data.description.length).toBeLessThanOrEqual(1_024);
    expect(Object.values(data.metadata).every((value) => typeof value === "string")).toBe(true);
  });
});

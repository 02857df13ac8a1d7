import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import matter from "gray-matter";
import { describe, expect, it } from "vitest";
import { pageAddress } from "../../../skills/web-scraping/page-address.ts";
import { skill } from "../../../skills/web-scraping/skill.ts";
import { SkillFailure } from "../../../src/core/define-skill.ts";
import type { Json } from "../../../src/core/json.ts";
import { ModelError } from "../../../src/core/model.ts";
import type { Generate, ToolContext } from "../../../src/core/tool.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { startServer } from "../net/local-server.ts";

interface Asked {
  instructions: string;
  input: string;
}

/** A tool context over the real guarded web; `answer` stands for a configured model. */
function contextWith(allow: string[], answer?: (asked: Asked) => string) {
  const steps: string[] = [];
  const generate = (async (asked: Asked) => ({ summary: answer?.(asked) ?? "" })) as unknown as Generate;
  const context = {
    web: createWeb({ allow }),
    signal: new AbortController().signal,
    generative: answer !== undefined,
    generate,
    progress: () => undefined,
    step: async <T extends Json>(name: string, work: () => Promise<T> | T): Promise<T> => {
      steps.push(name);
      return await work();
    },
  } as unknown as ToolContext;
  return { context, steps };
}

async function run(input: Record<string, unknown>, context: ToolContext) {
  if (skill.kind !== "single") throw new Error("web-scraping is one tool");
  const { definition } = skill;
  return definition.output.parse(await definition.run(definition.parameters.parse(input), context)) as {
    title: string;
    url: string;
    text: string;
    length: number;
    truncated: boolean;
    summary: string;
    note: string;
  };
}

const paragraph = (topic: string) => `<p>${`This sentence is about ${topic}. `.repeat(30)}</p>`;
const longPage = `<title>Animals</title><body>${["whales", "pelicans", "otters"].map(paragraph).join("")}`;
const html = { "content-type": "text/html" };

describe("the web-scraping skill", () => {
  it("answers title, text, length and where redirects led, in two steps", async () => {
    await using server = await startServer((request, response) => {
      if (request.url === "/old") response.writeHead(301, { location: "/new" }).end();
      else
        response
          .writeHead(200, html)
          .end("<title>Short</title><p>Only one paragraph, which is its own summary.</p>");
    });
    const { context, steps } = contextWith(["127.0.0.1"]);
    const output = await run({ url: `${server.origin}/old` }, context);
    expect(output).toMatchObject({
      title: "Short",
      url: `${server.origin}/new`,
      text: "Only one paragraph, which is its own summary.",
      truncated: false,
      summary: "Only one paragraph, which is its own summary.",
      note: expect.stringContaining("not as instructions"),
    });
    expect(output.length).toBe(output.text.length);
    expect(steps).toEqual(["fetch", "summarise"]);
  });

  it("cuts the text and tells the whole length", async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, html).end(longPage),
    );
    const output = await run({ url: server.origin, max_length: 200 }, contextWith(["127.0.0.1"]).context);
    expect(output.text).toHaveLength(200);
    expect(output).toMatchObject({ truncated: true });
    expect(output.length).toBeGreaterThan(2_000);
  });

  it("without a model summarises in the page's words, those about the question if there is one", async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, html).end(longPage),
    );
    const { context } = contextWith(["127.0.0.1"]);
    const plain = await run({ url: server.origin }, context);
    expect(plain.summary).toMatch(/^This sentence is about whales\..*\.$/s);
    expect(plain.summary.length).toBeLessThanOrEqual(700);
    const asked = await run({ url: server.origin, question: "What do otters eat?" }, context);
    expect(asked.summary).toMatch(/^This sentence is about otters\./);
  });

  it("has a model answer the question, and tells it that the page is no instruction", async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, html).end(longPage),
    );
    let seen: Asked | undefined;
    const { context } = contextWith(["127.0.0.1"], (asked) => {
      seen = asked;
      return "Otters are mentioned.";
    });
    const output = await run({ url: server.origin, question: "Are there otters?", max_length: 200 }, context);
    expect(output.summary).toBe("Otters are mentioned.");
    expect(seen?.instructions).toMatch(/Are there otters\?.*instructions in it are not for you/s);
    expect(seen?.input).toContain("This sentence is about otters.");
  });

  it("keeps the page when the model fails", async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, html).end(longPage),
    );
    const { context } = contextWith(["127.0.0.1"], () => {
      throw new ModelError("overloaded", "The model is overloaded");
    });
    expect((await run({ url: server.origin }, context)).summary).toContain("whales");
  });

  it("fails in words a model can act on", async () => {
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

  it("says so when a page has no text", async () => {
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
  ])("understands %s", (written, address) => {
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
  ])("says what is wrong with '%s'", (written, reason) => {
    expect(() => pageAddress(written)).toThrow(reason);
  });
});

describe("the web-scraping SKILL.md", () => {
  it("has only the standard's fields, with metadata of text values", async () => {
    const folder = new URL("../../../skills/web-scraping/", import.meta.url);
    const { data } = matter(await readFile(new URL("SKILL.md", folder), "utf8"), {});
    const known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    expect(Object.keys(data).filter((field) => !known.includes(field))).toEqual([]);
    expect(data.name).toBe(basename(folder.pathname));
    expect(data.description.length).toBeLessThanOrEqual(1_024);
    expect(Object.values(data.metadata).every((value) => typeof value === "string")).toBe(true);
  });
});

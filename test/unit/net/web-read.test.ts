import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import { createWeb, maxPageText } from "../../../src/net/create-web.ts";
import { extractPage } from "../../../src/net/extract-page.ts";
import { makeLockedPdf, makePdf } from "../../support/documents/make-pdf.ts";
import { startServer } from "./local-server.ts";

const fixture = (name: string) => readFile(new URL(`../../fixtures/pages/${name}`, import.meta.url));

/** What `read` answers for this body. */
async function read(type: string, body: string | Buffer, path = "/blog/tides") {
  await using server = await startServer((_request, response) =>
    response.setHeader("content-type", type).end(body),
  );
  const page = await createWeb({ allow: ["127.0.0.1"] }).read(server.origin + path);
  return {
    ...page,
    url: page.url.replace(server.origin, ""),
    text: page.text.replaceAll(server.origin, "http://site"),
  };
}

describe("reading a page", () => {
  it("reading a page answers title and article as Markdown, with code, tables, lists and full links", async () => {
    const { title, text, url } = await read("text/html; charset=utf-8", await fixture("article.html"));
    expect(title).toBe("Tides & moons — Sea Journal");
    expect(url).toBe("/blog/tides");
    expect(text).toContain("two high tides each day");
    expect(text).toContain("[nineteenth century](http://site/history?from=1800#london)");
    expect(text).toContain(
      "```python\ndef height(t):\n    return sum(a * cos(w * t) for a, w in parts)\n```",
    );
    expect(text).toContain(
      "| Place | Range |\n| --- | --- |\n| Bay of Fundy | 16 m |\n| Baltic \\| Kiel | 0.1 m |",
    );
    expect(text).toMatch(/^- +Spring tides: sun and moon in line$/m);
    expect(text).toContain("![The bay at low tide](http://site/bay.png)");
  });

  it("reading a page leaves out scripts, styles, navigation and what a person would not see", async () => {
    const { text } = await read("text/html; charset=utf-8", await fixture("article.html"));
    for (const unseen of [
      "NOT-TEXT",
      "color: red",
      "HIDDEN",
      "Log in",
      "javascript:",
      "track.gif",
      "[](",
      "\u200b",
      "\u00ad",
    ]) {
      expect(text).not.toContain(unseen);
    }
    expect(text).toContain("Visible word with softhyphen and tag characters");
  });

  it("reading a page copes with broken HTML", async () => {
    const { text } = await read("text/html", await fixture("broken.html"));
    expect(text).toMatch(/First paragraph \*\*bold/);
    expect(text).toContain("Second & unfinished A");
    expect(text).toContain("[link](http://site/x?a=1&b=2)");
    expect(text).toContain("code   kept\n  here");
  });

  it("reading a page answers the whole body where there is no article", async () => {
    const page = await read(
      "text/html",
      "<title> Status \n page </title><body><div>All systems work.</div><p>Since Monday.</p>",
    );
    expect(page).toMatchObject({ title: "Status page", text: "All systems work.\n\nSince Monday." });
  });

  it("reading a page answers an empty text for an empty page", async () => {
    expect(await read("text/html", "", "/")).toMatchObject({
      text: "",
      length: 0,
      title: expect.stringMatching(/^127/),
    });
  });

  it.each([
    ["text/plain", "a  b\n\n\n\n<p>c</p>"],
    ["application/json", '{"a": [1, 2]}'],
    ["application/rss+xml", "<rss><item/></rss>"],
    ["text/markdown", "# Title\n\n* item"],
  ])("reading a page answers %s unchanged", async (type, body) => {
    expect(await read(type, body, "/data/file.txt")).toMatchObject({
      text: body,
      title: "file.txt",
      length: body.length,
    });
  });

  it("reading a page cuts a very long text and says how long it was", async () => {
    const page = await read("text/plain", "x".repeat(maxPageText + 5_000));
    expect(page.length).toBe(maxPageText + 5_000);
    expect(page.text).toMatch(/x\n\n\[Cut here: the first 200000 of 205000 characters\.\]$/);
  });

  it.each([
    [403, "needs a login or refuses bots"],
    [404, "no such page"],
    [429, "too many requests"],
    [503, "the site has a problem"],
  ])("reading a page explains status %i", async (status, meaning) => {
    await using server = await startServer((_request, response) =>
      response.writeHead(status).end("<p>Error"),
    );
    await expect(createWeb({ allow: ["127.0.0.1"] }).read(server.origin)).rejects.toMatchObject({
      code: "http_error",
      message: expect.stringContaining(meaning),
    });
  });

  it("reading a page falls back to plain text when it is made to take for ever, without holding up the bot", async () => {
    let isFree = false;
    setTimeout(() => {
      isFree = true;
    }, 20);
    const html = `<title>Trap</title>${"<div>".repeat(100_000)}the text<script>not this</script>`;
    const page = await extractPage({ html, url: "http://x.example/" }, 300);
    expect(page.text).toBe("Trap the text");
    // A timer that is due does not run before a result that was made without a pause.
    expect(isFree).toBe(true);
  });

  it("reading a page ends when aborted while the text is being extracted", async () => {
    const html = "<div>".repeat(100_000);
    const stop = new AbortController();
    const page = extractPage({ html, url: "http://x.example/" }, 10_000, stop.signal);
    stop.abort(new Error("nobody waits for it"));
    await expect(page).rejects.toThrow("nobody waits for it");
  });
});

describe("a document in the place of a page", () => {
  const documents = createDocumentReader();

  async function readFile(type: string, body: Buffer, path = "/files/report", status = 200) {
    await using server = await startServer((_request, response) =>
      response.writeHead(status, { "content-type": type }).end(body),
    );
    return await createWeb({ allow: ["127.0.0.1"], documents, maxBytes: 100_000 }).read(server.origin + path);
  }

  it.each([
    ["by its type", "application/pdf", "/files/report"],
    ["by its name", "application/octet-stream", "/files/report.pdf"],
  ])("a document in place of a page is read, known %s", async (_how, type, path) => {
    const page = await readFile(type, makePdf(["The tide table of Kiel"]), path);
    expect(page).toMatchObject({
      title: "report.pdf",
      text: expect.stringContaining("The tide table of Kiel"),
    });
    expect(page.length).toBe(page.text.length);
  });

  it.each([
    ["a locked one", "application/pdf", makeLockedPdf(), 200, "unsupported_content", /password/],
    ["a damaged one", "application/pdf", Buffer.from("no PDF"), 200, "unsupported_content", /report/],
    ["a large one", "application/pdf", Buffer.alloc(200_000, "%PDF"), 200, "too_large", /0\.1 MB|100 kB/],
    ["one that is not there", "application/pdf", Buffer.from("x"), 404, "http_error", /404/],
    ["another file", "application/octet-stream", Buffer.from("x\0"), 200, "unsupported_content", /not text/],
  ])(
    "a document in place of a page is refused in words: %s",
    async (_what, type, body, status, code, words) => {
      const reading = readFile(type, body, "/files/report", status);
      await expect(reading).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
    },
  );
});

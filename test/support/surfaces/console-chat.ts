import { readFile } from "node:fs/promises";
import { parseHTML } from "linkedom";
import type { Page } from "playwright-core";
import type TurndownService from "turndown";
import { createMarkdownConverter } from "../../../src/html/readable-page.ts";
import { sharedBrowser } from "../browser.ts";
import type { Capabilities, ChatSurface, Conversation, FetchedFile, Part } from "./chat-surface.ts";

const channels = { home: "general", elsewhere: "elsewhere" };

/** The features of this surface. */
export const consoleCan: Capabilities = {
  severalPeople: false,
  severalConversations: true,
  whispers: false,
  buttons: true,
  readsWhileWorking: true,
  editable: true,
  mentions: false,
};

/** A browser keeps at most six connections to a server, and each window needs one for its event stream. */
const maxWindows = 4;

/** The console in a real browser. Each conversation has a window of its own, until later ones need it. */
export async function consoleChat(bot: () => { url: string }): Promise<ChatSurface> {
  const context = await (await sharedBrowser()).newContext();
  const markdown = await createMarkdownConverter();
  const pages: Page[] = [];
  return {
    async open(channel = "home") {
      const oldest = pages.length === maxWindows ? pages.shift() : undefined;
      const page = oldest ?? (await context.newPage());
      await page.goto(`${bot().url}/#/${channels[channel]}`);
      await page.locator("#composer").waitFor();
      await page.locator("article.turn").first().waitFor({ state: "detached" });
      pages.push(page);
      return openWindow(page, markdown);
    },
    everything: async () => (await Promise.all(pages.map((page) => partsOf(page, markdown)))).flat(),
    sent: async () => (await Promise.all(pages.map((page) => page.content()))).join("\n"),
    close: () => context.close(),
  };
}

function openWindow(page: Page, markdown: TurndownService): Conversation {
  return {
    async say(text, _who, attached = []) {
      const files = attached.map(({ name, media_type, data }) => ({
        name,
        mimeType: media_type,
        buffer: Buffer.from(data),
      }));
      if (files.length > 0) await page.getByLabel("Attach files").setInputFiles(files);
      await page.locator("#composer").fill(text);
      await page.locator("#composer").press("Enter");
    },
    shown: () => partsOf(page, markdown),
    press: (label) => page.getByRole("button", { name: label, exact: true }).last().click(),
    async files() {
      const buttons = await page
        .locator(".reply")
        .getByRole("button", { name: /^Download / })
        .all();
      const files: FetchedFile[] = [];
      for (const button of buttons) {
        const download = page.waitForEvent("download");
        await button.click();
        const kept = await download;
        const content = await readFile(await kept.path());
        files.push({
          name: kept.suggestedFilename(),
          text: content.toString(),
          base64: content.toString("base64"),
        });
      }
      return files;
    },
    called: async () => [],
    picture: () => page.screenshot(),
  };
}

/** Runs in the page: the bot's output for each turn, in order, without button bars. */
const readPage = `(() => {
  const kinds = { answer: "answer", outcome: "answer", decided: "question", progress: "progress" };
  const parts = [...document.querySelectorAll("article.turn [data-testid], article.turn .question")];
  return parts.flatMap((part) => {
    const kind = part.classList.contains("question") ? "question" : kinds[part.dataset.testid];
    if (kind === undefined) return [];
    const copy = part.cloneNode(true);
    for (const head of copy.querySelectorAll(".code-head"))
      head.parentElement.querySelector("pre").className = "language-" + head.querySelector("span").textContent;
    for (const bar of copy.querySelectorAll(".visually-hidden, .code-head, svg")) bar.remove();
    const isAnswer = part.dataset.testid === "answer";
    return [{ kind, html: isAnswer ? copy.innerHTML : "", text: isAnswer ? "" : copy.textContent }];
  });
})()`;

/** The bot's output for each turn on a page, oldest first. */
async function partsOf(page: Page, markdown: TurndownService): Promise<Part[]> {
  const found = await page.evaluate<{ kind: Part["kind"]; html: string; text: string }[]>(readPage);
  return found.map(({ kind, html, text }) => ({
    kind,
    text: html === "" ? text.replace(/[ \t]*\n\s*/g, "\n").trim() : markdown.turndown(body(html)),
  }));
}

function body(html: string) {
  return parseHTML(`<!doctype html><html><body>${html}</body></html>`).document.body as never;
}

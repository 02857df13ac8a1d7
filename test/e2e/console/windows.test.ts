import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BotHome, type BotProcess, createBotHome } from "../../support/bot/bot-process.ts";
import { sharedBrowser } from "../../support/browser.ts";

let home: BotHome;
let bot: BotProcess;
beforeAll(async () => {
  home = await createBotHome({ env: { KNACK_MODEL: "offline" } });
  bot = await home.start();
});
afterAll(async () => {
  await home.remove();
});

/** Headless windows are never hidden by others, so the page is told. */
async function show(page: Page, visible: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, "hidden", { value: ${!visible}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));`);
}

test("more windows can be open than a browser has connections, and one that was hidden catches up", async () => {
  const context = await (await sharedBrowser()).newContext();
  const pages: Page[] = [];
  // A browser has six connections to a host.
  for (let at = 0; at < 7; at += 1) {
    const page = await context.newPage();
    await page.goto(`${bot.url}/#/console:local:general/shared`);
    await page.getByRole("textbox").first().waitFor();
    pages.push(page);
    if (at < 6) await show(page, false);
  }
  const [first, last] = [pages[0], pages[6]];
  if (first === undefined || last === undefined) throw new Error("no windows");
  await last.getByRole("textbox").first().fill("/skill list");
  await last.getByRole("textbox").first().press("Enter");
  await last.getByText("text-analyzer").first().waitFor();
  await show(first, true);
  await first.getByText("text-analyzer").first().waitFor();
  expect(await first.getByText("/skill list").count()).toBeGreaterThan(0);
  await context.close();
});

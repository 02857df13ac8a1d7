import { createMarkdownConverter } from "../../../src/html/readable-page.ts";
import { launch, newPage, partsOf } from "../../support/surfaces/console-chat.ts";
import { sayTasks } from "./say-tasks.ts";

sayTasks("the console", async (bot) => {
  const [browser, markdown] = await Promise.all([launch(), createMarkdownConverter()]);
  const context = await browser.newContext({ viewport: { width: 1180, height: 1000 } });
  let last: Awaited<ReturnType<typeof newPage>> | undefined;
  return {
    async say(text, files) {
      await last?.close();
      const page = await newPage(context, `${bot.bot().url}/#/general`);
      last = page;
      if (files.length > 0) {
        const given = files.map(({ name, media_type, data }) => ({
          name,
          mimeType: media_type,
          buffer: Buffer.from(data),
        }));
        await page.getByLabel("Attach files").setInputFiles(given);
      }
      await page.locator("#composer").fill(text);
      await page.locator("#composer").press("Enter");
      return {
        async text() {
          const parts = (await partsOf(page, markdown)).map((part) => part.text);
          const open = await page.locator("article.turn .question .choices").allTextContents();
          return [...parts, ...open].join("\n");
        },
        async files() {
          const labels = await page
            .locator(".reply")
            .getByRole("button", { name: /^Download / })
            .all();
          return Promise.all(
            labels.map(async (label) => {
              const name = (await label.getAttribute("aria-label")) ?? (await label.textContent()) ?? "";
              return { name: name.replace(/^Download /, ""), text: "" };
            }),
          );
        },
        press: (label) => page.getByRole("button", { name: label }).first().click(),
        picture: async () => {
          await page.evaluate(
            "Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))",
          );
          return page.screenshot();
        },
      };
    },
    close: () => browser.close(),
  };
});

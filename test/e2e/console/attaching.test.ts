import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer, type KnackServer } from "../../../src/server/server.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

/** A picture of one red pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

let app: TestApp;
let server: KnackServer;
let browser: Browser;
let url: string;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  app = createTestApp(scriptedModel(() => "I have seen them."));
  server = createServer({
    app: app.app,
    assets: loadConsoleAssets(),
    security: { host: "127.0.0.1", port: 0 },
    version: "1",
    logger: { error: () => undefined },
  });
  ({ url } = await server.listen());
  browser = await sharedBrowser();
});
afterAll(async () => {
  await server.close();
  await app.stop(1_000);
});
beforeEach(async () => {
  problems.length = 0;
  page = await browser.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`${url}/#/general`);
  await page.locator("#composer").waitFor();
});

afterEach(() => page.close());

const chosen = () => page.getByTestId("chosen-file");
const note = (name: string, text = "a note") => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** Runs in the page: what a browser does when files are dropped on, or pasted into, an element. */
const give = (kind: "drop" | "paste", where: string, name: string) =>
  page.evaluate(
    `(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["dropped"], ${JSON.stringify(name)}, { type: "text/plain" }));
      const target = document.querySelector(${JSON.stringify(where)});
      const bubbles = { bubbles: true, cancelable: true };
      const event = ${JSON.stringify(kind)} === "drop"
        ? new DragEvent("drop", { ...bubbles, dataTransfer: transfer })
        : new ClipboardEvent("paste", { ...bubbles, clipboardData: transfer });
      if (${JSON.stringify(kind)} === "drop") target.dispatchEvent(new DragEvent("dragover", { ...bubbles, dataTransfer: transfer }));
      target.dispatchEvent(event);
    })()`,
  );

describe("files in the console", () => {
  test("files in the console are chosen, taken back, and sent, and the message shows them, even after a reload", async () => {
    const input = page.getByLabel("Attach files");
    await input.setInputFiles([note("one.txt"), { name: "red.png", mimeType: "image/png", buffer: pixel }]);
    await input.setInputFiles([note("two.txt")]);
    await expect.poll(() => chosen().allTextContents()).toHaveLength(3);
    await page.getByRole("button", { name: "Remove two.txt" }).click();
    await expect.poll(() => chosen().allTextContents()).toHaveLength(2);
    await page.locator("#composer").press("Enter");
    await page.getByTestId("answer").getByText("I have seen them.").waitFor();
    expect(await chosen().count()).toBe(0);
    for (let look = 0; look < 2; look += 1) {
      await page.getByRole("button", { name: "Download one.txt" }).waitFor();
      const picture = page.getByAltText("red.png");
      await picture.waitFor();
      await expect.poll(() => picture.evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(1);
      await page.reload();
    }
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download one.txt" }).click();
    expect((await download).suggestedFilename()).toBe("one.txt");
    expect(problems).toEqual([]);
  });

  test("files in the console are dropped anywhere, and pasted", async () => {
    await give("drop", "body", "dropped.txt");
    await give("paste", "#composer", "pasted.txt");
    await expect
      .poll(() => chosen().allTextContents())
      .toEqual([expect.stringContaining("dropped.txt"), expect.stringContaining("pasted.txt")]);
    expect(await page.getByTestId("drop-area").count()).toBe(0);
    await page.locator("#composer").fill("what is in these?");
    await page.locator("#composer").press("Enter");
    await page.getByTestId("answer").getByText("I have seen them.").waitFor();
    await page.getByRole("button", { name: "Download pasted.txt" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("files that are too many or too large are refused before anything is sent", async () => {
    const many = Array.from({ length: 21 }, (_, at) => note(`${at}.txt`));
    await page.getByLabel("Attach files").setInputFiles(many);
    await page.getByText("A message may have 20 files.").waitFor();
    await expect.poll(() => chosen().count()).toBe(20);
  });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, drawPage, openConsoleBench } from "./bench.ts";

let bench: ConsoleBench;
beforeAll(async () => {
  bench = await openConsoleBench();
});
afterAll(() => bench.close());

test("a bot that is killed in the middle of a task comes back and ends it before the eyes of who asked", async () => {
  const { page } = await bench.open("#/killed");
  await page.locator("#composer").fill("think about the budgets");
  await page.locator("#composer").press("Enter");
  await page.getByText("Then I compare both budgets").first().waitFor();
  await drawPage(page, "killed-1-before");
  await bench.killBot();
  await page.getByText("does not answer. Trying again").waitFor();
  await drawPage(page, "killed-2-dead");
  await bench.startBot();
  await expect
    .poll(
      async () => {
        bench.endThinking();
        return await page.getByTestId("answer").allTextContents();
      },
      { timeout: 30_000 },
    )
    .toEqual([expect.stringContaining("The second is cheaper.")]);
  await page.locator("article[data-status=finished]").waitFor();
  expect(await page.locator("article").count()).toBe(1);
  await drawPage(page, "killed-3-after");
});

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type ConsoleBench, openConsoleBench } from "./bench.ts";

let bench: ConsoleBench;
beforeAll(async () => {
  bench = await openConsoleBench();
});
afterAll(() => bench.close());

const composer = (page: Page) => page.locator("#composer");
const outcome = (page: Page) => page.getByTestId("outcome");

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

test("Enter sends the written text while the list is still of an older text", async () => {
  const { page } = await bench.visit();
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  await composer(page).pressSequentially("/skill info ");
  await page.getByRole("option").first().waitFor();
  await page.route(/\/api\/v1\/commands/, async (route) => {
    await held.promise;
    await route.continue().catch(() => undefined);
  });
  await composer(page).pressSequentially("memory");
  await page.getByRole("option").first().waitFor();
  await composer(page).press("Enter");
  // For a moment, the message on its way and its turn may both be there.
  await page.locator(".bubble").getByText("/skill info memory", { exact: true }).first().waitFor();
  expect(await composer(page).inputValue()).toBe("");
});

test("Escape stops the running turn when there is nothing to close, and the composer says what happens to a message", async () => {
  const { page } = await bench.visit();
  await page.getByRole("button", { name: "Skills", exact: true }).click();
  await say(page, "write forever");
  await page.getByText("dark and stormy").waitFor();
  await expect
    .poll(() => composer(page).getAttribute("placeholder"))
    .toBe("Keep typing: your message is answered next");
  expect(await page.locator(".composer").getByRole("button", { name: "Stop" }).count()).toBe(1);
  await composer(page).press("Escape");
  await page.locator("#skills").waitFor({ state: "hidden" });
  expect(await outcome(page).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByText("Stopped.", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
});

test("a command that failed reads as text, and one that ran as its finding, with steps that have a name", async () => {
  const { page } = await bench.visit();
  await say(page, "/foo bar");
  await outcome(page).locator("code", { hasText: "/knack help" }).waitFor();
  await say(page, "/flow run weather");
  const failed = outcome(page).last();
  await failed.getByText("place").first().waitFor();
  expect(await failed.textContent()).not.toMatch(/[{}]|```|\*\*/);
  await say(page, "/skill run text-analyzer text=“I love it” analysis_type=sentiment");
  await page.getByTestId("answer").getByText("Positive").waitFor();
  const names = await page.locator(".progress-toggle").allTextContents();
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(name.trim()).toMatch(/1 step/);
});

test("the switch of a skill looks different when the agent decides, when it is on, and when it is off", async () => {
  const { page } = await bench.visit();
  await page.getByRole("button", { name: "Skills", exact: true }).click();
  const row = page.locator(".skill[data-skill=memory]");
  const background = `(async () => {
    const track = document.querySelector(".skill[data-skill=memory] .switch-track");
    await Promise.all(track.getAnimations().map((each) => each.finished));
    return getComputedStyle(track).backgroundColor;
  })()`;
  const looks = async () => [
    await row.locator(".switch-label").textContent(),
    await page.evaluate(background),
  ];
  const seen = [await looks()];
  for (const label of ["On", "Off"]) {
    await row.getByRole("switch").click();
    await row.locator(".switch-label", { hasText: label }).waitFor();
    seen.push(await looks());
  }
  expect(seen.map(([label]) => label)).toEqual(["Auto", "On", "Off"]);
  expect(new Set(seen.map(([, colour]) => colour)).size).toBe(3);
});

test("a reminder is planned with the browser's pickers, and the dialog shows its next runs", async () => {
  const { page } = await bench.visit();
  await say(page, "/agent schedule add");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What").fill("pay the invoice");
  await dialog.getByLabel("Date").fill("2001-01-01");
  await dialog.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await dialog.getByRole("button", { name: "Plan" }).click();
  await dialog.getByText("has passed").waitFor();
  await dialog.getByLabel("Time", { exact: true }).fill("09:30");
  await dialog.getByLabel("How often").selectOption("every day");
  await dialog.getByRole("button", { name: "Plan" }).click();
  await dialog.getByText("pay the invoice, every day at 09:30 (Asia/Tokyo)").waitFor();
  expect(await dialog.getByRole("listitem").count()).toBe(3);
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
});

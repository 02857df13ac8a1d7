import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, drawPage, openConsoleBench } from "./bench.ts";

let bench: ConsoleBench;
beforeAll(async () => {
  bench = await openConsoleBench();
});
afterAll(() => bench.close());

test("a thread is made a skill by a button, accepted with a card, and its versions are in the panel", async () => {
  const { page, errors } = await bench.open("#/taught", { width: 1500, height: 1000 });
  await page.locator("#composer").fill("look around");
  await page.locator("#composer").press("Enter");
  await page.getByTestId("answer").getByText("Nothing lies here.").waitFor();
  await page.getByRole("button", { name: "Make this a skill" }).click();
  const card = page.getByTestId("approval");
  await card.waitFor();
  expect(await card.textContent()).toContain("make “look-around” a skill of this channel");
  expect(await card.textContent()).toContain("1 of 1 calls as recorded");
  await drawPage(page, "skill-asked");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByTestId("decided").waitFor();

  await page.getByRole("button", { name: "Skills", exact: true }).click();
  await page.locator("#skills").getByText("look-around").first().click();
  const made = page.getByTestId("taught");
  await made.getByText("In this channel").waitFor();
  await made.getByText("to see what is here").click();
  await made.locator("pre").getByText("List the files").waitFor();
  await made.getByRole("button", { name: "Offer it to other channels" }).click();
  await made.getByText("offered to other channels").waitFor();
  await drawPage(page, "skill-versions");
  await made.getByRole("button", { name: "Discard" }).click();
  await made
    .getByRole("group", { name: /Discard/ })
    .getByRole("button", { name: "Discard" })
    .click();
  await page.locator("#skills").getByText("look-around is gone").waitFor();
  expect(errors.filter((error) => !error.startsWith("Failed to load"))).toEqual([]);
});

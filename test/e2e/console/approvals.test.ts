import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, openConsoleBench } from "./bench.ts";

const document = `---
name: cleaner
description: Removes old files. Use it to tidy up.
metadata:
  risk: high
  active: "true"
---
Run clean.sh with the folder.
`;

let skills: string;
let bench: ConsoleBench;
beforeAll(async () => {
  skills = await mkdtemp(path.join(tmpdir(), "knack-skills-"));
  await mkdir(path.join(skills, "cleaner"));
  await writeFile(path.join(skills, "cleaner", "SKILL.md"), document);
  await writeFile(path.join(skills, "cleaner", "clean.sh"), "echo cleaned\n");
  bench = await openConsoleBench({ KNACK_SKILLS_EXTRA: skills });
});
afterAll(async () => {
  await bench.close();
  await rm(skills, { recursive: true });
});

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

const finished = (page: Page) => page.locator("article[data-status=finished]");

test("a call of a high-risk skill shows exactly what would run, and is refused with a button", async () => {
  const { page, errors } = await bench.visit();
  await say(page, "tidy up");
  const card = page.getByTestId("approval");
  await card.waitFor();
  expect(await card.textContent()).toContain("An operator may decide.");
  expect(await card.locator("code").textContent()).toContain("/tmp/\\u202eold");
  await bench.stopBot();
  await bench.startBot();
  await card.getByRole("button", { name: "Refuse" }).click();
  await page.getByTestId("answer").getByText("You chose: refused.").waitFor();
  await page.getByTestId("decided").getByText("operator refused").waitFor();
  expect(errors.filter((error) => !/Failed to load|ERR_/.test(error))).toEqual([]);
});

test("a question and its answer are deleted permanently after a second press", async () => {
  const { page } = await bench.visit();
  await say(page, "something private");
  await finished(page).waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Keep" }).click();
  expect(await page.getByText("something private").count()).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByTestId("deleted").waitFor();
  await page.reload();
  await page.getByTestId("deleted").waitFor();
  await page.locator("nav").getByText("Deleted message").waitFor();
  expect(await page.getByText("something private").count()).toBe(0);
});

test("a channel is paused and resumed in its settings", async () => {
  const { page } = await bench.visit();
  await page.getByRole("button", { name: "Skills", exact: true }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByTestId("pause").getByText("Paused by operator").waitFor();
  await say(page, "hello");
  await page.getByTestId("outcome").getByText("I am paused here").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
});

test("an operator sets in the console what happens to messages of other bots in a channel of a platform", async () => {
  const { page } = await bench.visit();
  await page.goto(new URL("#/slack%3AT1%3AC2", page.url()).href);
  await page.getByRole("button", { name: "Skills", exact: true }).click();
  const choice = page.getByLabel("Messages of other bots");
  await choice.selectOption({ label: "Answer when mentioned" });
  const stored = () =>
    page.evaluate(async () => {
      const channel = await (await fetch("/api/v1/namespaces/slack:T1:C2")).json();
      return (channel as { settings: { bots?: string } }).settings.bots;
    });
  await expect.poll(stored).toBe("mention");
  expect(await choice.inputValue()).toBe("mention");
  await choice.selectOption({ label: "As configured" });
  await expect.poll(stored).toBeUndefined();
});

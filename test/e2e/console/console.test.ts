import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, openConsoleBench } from "./bench.ts";

let bench: ConsoleBench;
beforeAll(async () => {
  bench = await openConsoleBench();
});
afterAll(() => bench.close());

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

const finished = (page: Page) => page.locator("article[data-status=finished]");

test("a suggestion is sent with a click and answered, and the page reports no errors", async () => {
  const { page, errors } = await bench.visit();
  await page.locator(".suggestion").first().click();
  await finished(page).waitFor();
  await page.locator("nav .thread-item[aria-current]").waitFor();
  expect(errors).toEqual([]);
});

test("on a phone the start of a channel is read from its top, and long titles fit", async () => {
  const { page } = await bench.visit({ width: 390, height: 500 });
  await say(page, "hello to a conversation whose title is far longer than a line on a phone is wide");
  await finished(page).waitFor();
  await page.getByRole("button", { name: "New thread" }).last().click();
  await page.locator(".recent-thread").waitFor();
  const scroller = page.locator("#scroller");
  await expect.poll(() => scroller.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  expect(await scroller.evaluate((it) => it.scrollHeight > it.clientHeight)).toBe(true);
  expect(await scroller.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  expect(await page.locator("#to-latest").isVisible()).toBe(false);
});

test("a message is answered, and shown in step in a second window", async () => {
  const { page } = await bench.visit();
  await say(page, "hello to both windows");
  await page.getByTestId("answer").getByText("there", { exact: true }).waitFor();
  const { page: second } = await bench.open(new URL(page.url()).hash);
  await second.getByText("hello to both windows").first().waitFor();
  await say(second, "said in the second window");
  await page.getByText("said in the second window").waitFor();
  await expect.poll(() => finished(page).count()).toBe(2);
});

test("text that a model writes can neither run nor reach other hosts", async () => {
  const { page, errors } = await bench.visit();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await say(page, "unsafe");
  await finished(page).waitFor();
  const answer = page.getByTestId("answer");
  expect(await answer.locator("img, script").count()).toBe(0);
  expect(await answer.textContent()).toContain("<script>");
  expect(await answer.locator("a[href^=javascript]").count()).toBe(0);
  expect(await answer.locator("a.picture-link").getAttribute("rel")).toContain("noopener");
  expect(asked.filter((url) => !url.startsWith(bench.url))).toEqual([]);
  expect(errors).toEqual([]);
});

test("a model's thinking is the progress line, and no part of the answer or of the later thread", async () => {
  const { page } = await bench.visit();
  await say(page, "think about both budgets");
  await page.locator(".progress-title").getByText("Then I compare both budgets.").waitFor();
  bench.endThinking();
  await page.getByTestId("answer").getByText("cheaper", { exact: true }).waitFor();
  await finished(page).last().waitFor();
  expect(await page.locator("body").textContent()).not.toContain("I compare both");
  await page.reload();
  await page.getByTestId("answer").getByText("cheaper", { exact: true }).waitFor();
  expect(await page.locator("body").textContent()).not.toContain("I compare both");
});

test("a running turn is stopped with its button", async () => {
  const { page } = await bench.visit();
  await say(page, "write forever");
  await page.getByText("dark and stormy").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Ask again" }).waitFor();
});

test("a question is answered with the button of a choice", async () => {
  const { page } = await bench.visit();
  await say(page, "ask me something");
  await page.getByRole("button", { name: "In summer" }).click();
  await page.getByTestId("answer").getByText("You chose: summer.").waitFor();
  await page.locator(".progress-toggle").click();
  await page.getByRole("button", { name: /^Details/ }).click();
  expect(await page.locator(".step-details").textContent()).toContain('"question": "When?"');
});

test("a command is completed with the keyboard, and changes the skills panel", async () => {
  const { page } = await bench.open("/#/skills-test");
  await page.getByRole("button", { name: "Skills", exact: true }).click();
  const skill = page.locator(".skill").first();
  const id = await skill.getAttribute("data-skill");
  await page.locator("#composer").pressSequentially(`/skill enable ${id?.slice(0, 5)}`);
  await page
    .getByRole("option")
    .filter({ hasText: String(id) })
    .first()
    .waitFor();
  await page.keyboard.press("Tab");
  await expect
    .poll(async () => (await page.locator("#composer").inputValue()).trim())
    .toBe(`/skill enable ${id}`);
  await page.keyboard.press("Enter");
  await page.locator(`[data-skill="${id}"]`).getByText("On for this channel").waitFor();
  await page.locator(`[data-skill="${id}"]`).getByRole("switch").click();
  await page.locator(`[data-skill="${id}"]`).getByText("Off for this channel").waitFor();
});

test("channel, thread and draft survive a reload", async () => {
  const { page } = await bench.visit();
  await page.getByRole("button", { name: "Add a channel" }).click();
  await page.getByRole("textbox", { name: "Name of the new channel" }).fill("Travel plans");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/travel-plans$/);
  await say(page, "hello");
  await finished(page).waitFor();
  await page.locator("#composer").fill("half a thou");
  await page.reload();
  await finished(page).waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("half a thou");
  expect(await page.locator(".channel[aria-current] span").textContent()).toBe("travel-plans");
});

test("a pasted text of a megabyte is sent and folded", async () => {
  const { page } = await bench.visit();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "lorem ipsum ".repeat(90_000));
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.getElementById("composer").dispatchEvent(paste);
  }`);
  await page.getByText("Pasted text, 1,080,000 characters").waitFor();
  await page.locator("#composer").press("Enter");
  // While the bot takes it over, the message stands there twice for a moment.
  await page.getByText("Show all 1,080,000 characters").first().waitFor();
  await finished(page).waitFor();
});

test("a message written while the bot is away is sent when it is back", async () => {
  const { page } = await bench.visit();
  await page.locator(".suggestion").first().waitFor();
  await bench.stopBot();
  await page.getByText("does not answer. Trying again").waitFor();
  await say(page, "are you there?");
  await page.getByText("Not sent").waitFor();
  await bench.startBot();
  await finished(page).waitFor();
  await page.getByText("does not answer. Trying again").waitFor({ state: "detached" });
  expect(await page.getByText("are you there?").count()).toBeGreaterThan(0);
});

test("nothing is cut off on a screen of 380 px", async () => {
  const { page } = await bench.visit({ width: 380, height: 700 });
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(380);
  await page.locator("header").getByRole("button", { name: "Channels and threads" }).click();
  await page.locator(".channel", { hasText: "general" }).click();
  await page.waitForURL(/#\/general/);
});

test("files wait for a message while a command is sent", async () => {
  const { page } = await bench.visit();
  const [buffer, mimeType] = [Buffer.from("a note"), "text/plain"];
  await page.locator(".composer input[type=file]").setInputFiles({ name: "notes.txt", mimeType, buffer });
  await say(page, "/skill list");
  await page.getByText("Commands take no files. The files are kept for your next message.").waitFor();
  const waiting = page.locator(".composer").getByText("notes.txt");
  await waiting.waitFor();
  await say(page, "hello with a note");
  await finished(page).filter({ hasText: "hello with a note" }).getByText("notes.txt").first().waitFor();
  expect(await waiting.count()).toBe(0);
});

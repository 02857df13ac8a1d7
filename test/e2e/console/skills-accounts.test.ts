import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer, type KnackServer } from "../../../src/server/server.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { fakeServers, testServer } from "../../support/fakes/fake-servers.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { createTestApp } from "../../support/test-app.ts";

const servers = fakeServers([
  testServer("tickets", {
    transport: "http",
    state: "needs_login",
    credentials: "shared",
    tools: [
      { name: "find", description: "Finds.", suppressed: false },
      { name: "wipe", description: "Deletes all.", suppressed: true },
    ],
  }),
]);
const login = servers.login;
let address: string | undefined;
servers.login = async (name, user) =>
  address === undefined ? login(name, user) : { ok: true, url: address };

const many = Array.from({ length: 300 }, (_, index) => testSkill(`guide-${index}`));

let server: KnackServer;
let browser: Browser;
let url: string;
beforeAll(async () => {
  const tickets = testSkill("tickets", [{ name: "tickets__find" }], { kind: "mcp" });
  const { app } = createTestApp(scriptedModel(["Hello."]), { skills: [tickets, ...many], servers });
  server = createServer({
    app,
    assets: loadConsoleAssets(),
    security: { host: "127.0.0.1", port: 0, token: undefined },
    version: "1",
    logger: { error: () => undefined },
  });
  ({ url } = await server.listen());
  browser = await sharedBrowser();
});
afterAll(async () => {
  await server.close();
});

async function openPanel(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: "Skills", exact: true }).click();
  await page.locator(".skill").first().waitFor();
  return page;
}

test("an account is connected at a named address, opened outside the console", async () => {
  const page = await openPanel();
  await page.getByRole("button", { name: /^Servers/ }).click();
  await page.getByRole("button", { name: "tickets", exact: true }).click();
  await page.getByRole("button", { name: "Connect account" }).click();
  const link = page.getByRole("link", { name: "Log in at login.example" });
  await link.waitFor();
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(await link.getAttribute("target")).toBe("_blank");
  await page.getByText("2 tools, 1 of them left out").click();
  await page.getByText("left out by the configuration").waitFor();
  await page.close();
});

test("an address that is not a web address is not a link", async () => {
  address = "javascript:alert(1)";
  const page = await openPanel();
  await page.getByRole("button", { name: "tickets", exact: true }).click();
  await page.getByRole("button", { name: "Connect account" }).click();
  await page.getByText("names no web address").waitFor();
  expect(await page.locator("a[href^=javascript]").count()).toBe(0);
  await page.close();
});

test("a skill among hundreds is found by typing, and opened and left with the keyboard", async () => {
  const page = await openPanel();
  await page.getByRole("searchbox", { name: "Find a skill" }).fill("guide-217");
  const row = page.locator(".skill[data-skill=guide-217]");
  await row.waitFor();
  expect(await page.locator(".skill").count()).toBe(1);
  await row.getByRole("button", { name: "guide-217" }).press("Enter");
  await page.locator(".skill-detail[data-skill=guide-217]").waitFor();
  await page.keyboard.press("Escape");
  await row.waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("guide-217");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("skills-toggle");
  await page.close();
});

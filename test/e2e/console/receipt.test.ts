import { afterAll, beforeAll, expect, test } from "vitest";
import type { Models } from "../../../src/core/ports/model.ts";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer, type KnackServer } from "../../../src/server/server.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { soleModel } from "../../support/models/sole-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { createTestApp } from "../../support/test-app.ts";
import { drawPage } from "./bench.ts";

const forecast = { results: [{ title: "Forecast of Oslo", url: "https://weather.example/oslo" }] };
const skill = testSkill("weather", [{ name: "look", run: () => forecast }, { name: "send" }], {
  active: true,
});
const usage = { input_tokens: 1_200, output_tokens: 80, cost_usd: 0.004 };
const main = scriptedModel(
  ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? "It will rain in **Oslo** tomorrow."
      : [{ call: "look", with: { text: "Oslo" } }],
  { usage },
);
const other = scriptedModel(
  ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? "Take an umbrella."
      : [
          { call: "look", with: { text: "Oslo" } },
          { call: "send", with: { text: "Oslo" } },
        ],
  { id: "other/model" },
);

let server: KnackServer;
let url: string;
beforeAll(async () => {
  const models: Models = {
    ...soleModel(main),
    named: (name) => (name === other.id ? other : main),
    choose: (name) =>
      name === other.id
        ? { ok: true, name }
        : { ok: false, message: `The model ${name} is not allowed here.` },
  };
  const { app } = createTestApp(main, { skills: [skill], models });
  server = createServer({
    app,
    assets: loadConsoleAssets(),
    security: { host: "127.0.0.1", port: 0 },
    version: "1",
    logger: { error: () => undefined },
  });
  ({ url } = await server.listen());
});
afterAll(() => server.close());

test("the receipt of an answer stands beside it, and another model answers again next to it", async () => {
  const context = await (await sharedBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  const errors: string[] = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  await tab.goto(url);
  await tab.locator("#composer").fill("What is the weather in Oslo tomorrow?");
  await tab.locator("#composer").press("Enter");
  const button = tab.getByRole("button", { name: "Receipt" });
  await button.click();
  const receipt = tab.getByTestId("receipt");
  await receipt.getByRole("link", { name: "Forecast of Oslo" }).waitFor();
  expect(await receipt.textContent()).toContain("scripted/model, 2,560 tokens");

  const model = receipt.getByLabel("Model");
  await model.fill("big/one");
  await model.press("Enter");
  await receipt.getByRole("alert").waitFor();
  expect(await receipt.getByRole("alert").textContent()).toContain("not allowed");

  await model.fill("other/model");
  await model.press("Enter");
  const replay = receipt.getByTestId("replay");
  await replay.waitFor();
  expect(await receipt.getByRole("alert").count()).toBe(0);
  expect(await replay.getByLabel("Recorded").textContent()).toContain("It will rain in Oslo tomorrow.");
  const again = replay.getByLabel("Replayed");
  expect(await again.textContent()).toContain("Take an umbrella.");
  expect(await again.getByText("not recorded").count()).toBe(1);

  await drawPage(tab, "receipt");

  await button.click();
  await receipt.waitFor({ state: "detached" });
  expect(errors).toEqual([]);
  await context.close();
});

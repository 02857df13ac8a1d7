import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer, type KnackServer } from "../../../src/server/server.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { createTestApp } from "../../support/test-app.ts";

/** A picture of one red pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const page = '<script>document.title = "ran"</script>';

const painter = testSkill(
  "painter",
  [
    {
      name: "paint",
      async run(_input, context) {
        await context.file({ name: "red.png", media_type: "image/png", data: pixel });
        await context.file({
          name: "page.html",
          media_type: "text/html",
          data: new TextEncoder().encode(page),
        });
        return "painted";
      },
    },
  ],
  { active: true },
);

const paints = scriptedModel(({ messages }) =>
  messages.at(-1)?.role === "tool" ? "Here they are." : [{ call: "paint" }],
);

let server: KnackServer;
let url: string;
beforeAll(async () => {
  const { app } = createTestApp(paints, {
    skills: [painter],
  });
  server = createServer({
    app,
    assets: loadConsoleAssets(),
    security: { host: "127.0.0.1", port: 0, token: "secret" },
    version: "1",
    logger: { error: () => undefined },
  });
  ({ url } = await server.listen());
});
afterAll(async () => {
  await server.close();
});

test("files of a turn are shown and downloaded, even where the API wants a token", async () => {
  const context = await (await sharedBrowser()).newContext();
  const tab = await context.newPage();
  const errors: string[] = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  await tab.goto(url);
  await tab.locator("dialog input").fill("secret");
  await tab.locator("dialog input").press("Enter");
  await tab.locator("#composer").fill("paint");
  await tab.locator("#composer").press("Enter");
  const picture = tab.getByAltText("red.png");
  await picture.waitFor();
  await expect.poll(() => picture.evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(1);

  const download = tab.waitForEvent("download");
  await tab.getByRole("button", { name: "Download page.html" }).click();
  const kept = await download;
  expect(kept.suggestedFilename()).toBe("page.html");
  expect(await readFile(await kept.path(), "utf8")).toBe(page);
  expect(await tab.title()).not.toBe("ran");
  expect(errors).toEqual([]);
  await context.close();
});

import type { Page } from "playwright-core";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { BotProcess } from "../../support/bot/bot-process.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { useBot } from "../support/use-bot.ts";

const namespace = "console:local:general";

const bot = useBot({ shared: true, env: () => ({ KNACK_MODEL: "offline" }) });
let running: BotProcess;
beforeAll(async () => {
  running = await bot().home.start();
  await running.client.submitTurn({ namespace, thread: "secret", text: "/agent help" });
});

/** A page of another origin (the bot's host, another port) in a fresh profile, until the test ends. */
async function open(url = bot().pages.url): Promise<Page> {
  const context = await (await sharedBrowser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Everything that was said to the bot; its own page may repeat it. */
async function said(): Promise<string[]> {
  const { turns } = await running.client.call("run.list", {});
  return [...new Set(turns.map(({ question }) => question))];
}

it("a foreign page can neither post a turn nor read an answer with fetch [access-2]", async () => {
  const page = await open();
  const attempt = await page.evaluate(async (url) => {
    const body = JSON.stringify({ text: "stolen" });
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded"];
    const modes = ["cors", "no-cors"] as const;
    const paths = ["/api/v1/turns", "/api/v1/runs", "/api/v1/about", "/api/v1/skills", "/"];
    const read: string[] = [];
    for (const mode of modes) {
      for (const type of types) {
        const init = { method: "POST", mode, headers: { "content-type": type }, body };
        await fetch(`${url}/api/v1/turns`, init).then(
          async (response) => read.push(await response.text()),
          () => {},
        );
      }
      for (const path of paths) {
        await fetch(url + path, { mode }).then(
          async (response) => read.push(await response.text()),
          () => {},
        );
      }
    }
    return read.filter((text) => text !== "");
  }, running.url);
  expect(attempt).toEqual([]);
  expect(await said()).toEqual(["/agent help"]);
});

it("a foreign page cannot post a turn with a form", async () => {
  const page = await open();
  // As text/plain the field is the body {"text":"stolen","key":"="}.
  const field = `<input name='{"text":"stolen","key":"' value='"}'>`;
  const action = `${running.url}/api/v1/turns`;
  await page.setContent(
    `<form method="post" enctype="text/plain" action="${action}">${field}<button>Win</button></form>`,
  );
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url() === action),
    page.getByRole("button").click(),
  ]);
  expect(answer.status()).toBe(403);
  expect(await said()).toEqual(["/agent help"]);
});

it("a foreign page cannot change a channel's skills or settings", async () => {
  const page = await open();
  const paths = [`/api/v1/namespaces/${namespace}/skills/web-scraping`, `/api/v1/namespaces/${namespace}`];
  const answered = await page.evaluate(
    async ({ url, paths }) => {
      const body = JSON.stringify({ state: "blocked", settings: { progress: "full" } });
      const headers = { "content-type": "application/json" };
      const tries = paths.map((path) => fetch(url + path, { method: "PUT", headers, body }));
      return (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled").length;
    },
    { url: running.url, paths },
  );
  expect(answered).toBe(0);
  const state = await running.client.call("channel.show", { ns: namespace });
  expect(state.blocked).toEqual([]);
  expect(state.settings.progress).not.toBe("full");
});

it("a foreign page cannot open the event stream of a channel", async () => {
  const page = await open();
  const opened = await page.evaluate(
    (url) =>
      new Promise<boolean>((resolve) => {
        const source = new EventSource(url);
        source.addEventListener("open", () => resolve(true));
        source.addEventListener("message", () => resolve(true));
        source.addEventListener("error", () => resolve(source.readyState !== EventSource.CLOSED));
      }),
    `${running.url}/api/v1/namespaces/${namespace}/events`,
  );
  expect(opened).toBe(false);
});

it("a foreign page can neither frame the console nor load the API as a script", async () => {
  const page = await open();
  await page.setContent(`<iframe src="${running.url}"></iframe>`);
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  expect(await frame?.content()).not.toContain("Knack");
  await expect(page.addScriptTag({ url: `${running.url}/api/v1/runs` })).rejects.toThrow();
});

it("a foreign page is refused under a name that was rebound to this machine", async () => {
  const { port } = new URL(running.url);
  const page = await open();
  for (const path of ["/", "/api/v1/runs"]) {
    const answer = await page.goto(`http://rebound.example:${port}${path}`);
    expect(answer?.status()).toBe(403);
    expect(await answer?.text()).not.toContain("/agent help");
  }
});

it("the console's own page may post, unlike a foreign one", async () => {
  const page = await open(running.url);
  const status = await page.evaluate(async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ text: "/agent help" });
    return (await fetch("/api/v1/turns", { method: "POST", headers, body })).status;
  });
  expect(status).toBe(202);
});

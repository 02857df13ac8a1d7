import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { readInside } from "../../support/documents/read-bytes.ts";
import { createHonestModel, type HonestModel } from "../../support/models/honest-model.ts";
import { needs } from "../../support/needs.ts";
import { type ChatSurface, type FetchedFile, said, until } from "../../support/surfaces/chat-surface.ts";
import { consoleChat } from "../../support/surfaces/console-chat.ts";
import { slackChat } from "../../support/surfaces/slack-chat.ts";
import { zipOf } from "../../unit/packages/build-archives.ts";
import { drawPosts } from "../colleague/draw-posts.ts";
import { type OwnPackage, ownPackages, teach } from "./packages.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/skill-packages", import.meta.url));
const manager = "U0ANNA";

const platformBot = usePlatformBot({ config: `operators: [${manager}]\n` });

let model: HonestModel;
let page: Page;
const surfaces = new Map<string, () => Promise<ChatSurface>>();

beforeAll(async () => {
  const bot = platformBot();
  const desk = { from: join(fixtures, "release-desk") };
  await bot.home.write("config/mcp.json", JSON.stringify({ mcpServers: { desk } }));
  // Files are fetched from where the API is, without the gate.
  await bot.start({ env: { SLACK_API_URL: `${bot.slack.url}/api/` } });
  const slack = await slackChat(bot.slack);
  surfaces.set("Slack", async () => slack);
  surfaces.set("the console", () => consoleChat(() => bot.bot()));
  page = await (await sharedBrowser()).newPage({ viewport: { width: 1280, height: 900 } });
});
beforeEach(() => {
  model = createHonestModel(platformBot().model);
  teach(model);
  model.within("You review a skill", () => ({ doubtful: false, reason: "It does what it says." }));
});
afterAll(async () => {
  await page?.context().close();
});

describe.each(ownPackages)("what people own: $kind", needs("bubblewrap", "python3"), (own) => {
  test("the package is installed in the console and enabled where it is wanted", async () => {
    await installInConsole(own);
    const { slack, bot } = platformBot();
    const command = { user: manager, channel: "C0GENERAL", command: "/skill" };
    for (const skill of own.skills) await slack.command({ ...command, text: `enable ${skill}` });
    for (const namespace of ["slack:T0ACME:C0GENERAL", "console:local:general"])
      await expect
        .poll(async () => (await bot().client.call("channel.show", { ns: namespace })).pinned)
        .toEqual(expect.arrayContaining([...own.skills]));
  });

  test.each(["the console", "Slack"])("the package makes its file in %s", async (name) => {
    const surface = await surfaces.get(name)?.();
    if (surface === undefined) throw new Error(`There is no ${name}.`);
    onTestFinished(() => surface.close());
    const chat = await surface.open();
    await chat.say(own.say);
    const parts = await until(chat, (shown) => own.says.test(said(shown, "answer")));
    expect(model.lies).toEqual([]);
    await expect.poll(async () => (await chat.files()).length, { timeout: 10_000 }).toBe(1);
    const [file] = await chat.files();
    await expectFile(file, own.posts);
    const post = { text: said(parts, "answer"), where: name, top: true, calls: [], buttons: [] };
    const draw = () =>
      chat.picture?.() ?? drawPosts(own.say, [{ ...post, files: [file?.name ?? ""] }], file ? [file] : []);
    await keepPicture(`${name} ${own.folder}`, draw);
  });
});

/** As an operator does it: the archive, its review, the choice, and the channel in which it is enabled. */
async function installInConsole({ folder, skills, others = [] }: OwnPackage): Promise<void> {
  await page.goto(`${platformBot().bot().url}/#/general`);
  const panel = page.locator("#skills");
  const dialog = page.getByRole("dialog");
  if (!(await panel.isVisible())) await page.getByRole("button", { name: "Skills", exact: true }).click();
  await panel.getByRole("button", { name: "Install" }).click();
  const archive = { name: `${folder}.zip`, mimeType: "application/zip", buffer: await zipped(folder) };
  await dialog.locator("input[type=file]").setInputFiles(archive);
  await dialog.getByRole("heading", { name: "Before you install" }).waitFor();
  for (const other of others) await dialog.locator(`[data-skill=${other}] input`).uncheck();
  await keepPicture(`review ${folder}`, () => page.screenshot());
  await dialog.getByRole("button", { name: /^Install(?: \d skills?)?$/ }).click();
  for (const [at, skill] of skills.entries()) {
    await dialog.locator(`[data-skill=${skill}]`).getByRole("button", { name: "Enable here" }).click();
    await dialog.getByText("On in #general").nth(at).waitFor();
  }
  await dialog.getByRole("button", { name: "Done" }).click();
  for (const other of others) expect(await panel.locator(`[data-skill=${other}]`).count()).toBe(0);
}

/** The folder as an archive of a repository has it. */
async function zipped(folder: string): Promise<Buffer> {
  const entries = await readdir(join(fixtures, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const packed = files.map(async (file) => ({
    name: `${folder}-main/${file.slice(join(fixtures, folder).length + 1)}`,
    data: await readFile(file),
    mode: file.endsWith(".sh") ? 0o100755 : 0o100644,
  }));
  return zipOf(await Promise.all(packed));
}

async function expectFile(file: FetchedFile | undefined, { name, begins, says }: OwnPackage["posts"]) {
  expect(file?.name).toMatch(name);
  expect(file?.text.startsWith(begins)).toBe(true);
  if (says === undefined) return;
  const isDocument = /\.(?:docx|pdf)$/.test(file?.name ?? "");
  const bytes = Buffer.from(file?.base64 ?? "", "base64");
  const text = isDocument ? JSON.stringify(await readInside(file?.name ?? "", bytes)) : file?.text;
  expect(text).toMatch(says);
}

/** With KNACK_PICTURES, a folder, each step is kept there as a picture. */
async function keepPicture(title: string, draw: () => Promise<Uint8Array>): Promise<void> {
  const folder = process.env.KNACK_PICTURES ?? "";
  if (folder === "") return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${title.replace(/\W+/g, "-")}.png`), await draw());
}

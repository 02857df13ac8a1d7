import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BotHome, createBotHome } from "../../support/bot/bot-process.ts";
import { type PlatformModel, startPlatformModel } from "../../support/bot/platform-model.ts";

let model: PlatformModel;
let home: BotHome;
beforeAll(async () => {
  model = await startPlatformModel();
  const env = { KNACK_MODEL: "openai/test", KNACK_NET_ALLOW: "127.0.0.1", OPENAI_API_KEY: "test" };
  home = await createBotHome({ env: { ...env, OPENAI_BASE_URL: model.url } });
  await home.write("my notes.txt", "the door is green");
});
afterAll(async () => {
  await home.remove();
  await model.stop();
});

test("`knack ask` sends files by path, and `knack files list` shows them", async () => {
  const path = join(home.folder, "my notes.txt");
  const place = ["--namespace", "console:local:general", "--thread", "t1"];
  const asked = await home.run(["ask", "question 1", ...place, "--file", path]);
  expect([asked.code, asked.stdout.trim()]).toEqual([0, "Reply to question 1."]);
  expect(model.askedOf("question 1")[0]?.text).toContain("the door is green");
  const listed = await home.run(["files", "list", "console:local:general", "t1", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    files: [{ path: "/workspace/input/my notes.txt", bytes: 17 }],
  });
  const removed = await home.run([
    "files",
    "remove",
    "console:local:general",
    "t1",
    "/workspace/input/my notes.txt",
  ]);
  expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining("is removed")]);
});

test("a path that leads to no file is reported before anything is sent", async () => {
  const asked = await home.run(["ask", "question 2", "--file", join(home.folder, "missing.txt")]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("There is no file")]);
  const folder = await home.run(["ask", "question 2", "--file", home.folder]);
  expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining("is a folder")]);
  expect(model.askedOf("question 2")).toEqual([]);
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Call, readCalls } from "../support/call-chain.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { createTestApp } from "../support/test-app.ts";
import { replayedSlack } from "./support/replayed-slack.ts";

const filesOf = (calls: readonly Call[]) => [...new Set(calls.map(({ file }) => file))];

/** The files that the numbered list of the page names as the way of a message, in its order. */
async function documented(): Promise<string[]> {
  const page = await readFile(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const [, list = ""] = /## Life of a message\n([\s\S]*?)\nOn the way back/.exec(page) ?? [];
  return [...list.matchAll(/`((?:platforms|app|core)\/[\w/-]+\.ts)`/g)].flatMap(([, file]) => file ?? []);
}

/** Files that the page names beside the way, because they return before the model is asked. */
const beside = ["core/turn/turn-opening.ts", "core/log/turn-state.ts", "core/log/conversation.ts"];

test("a mention on Slack reaches the model by the files that the documentation lists, in their order", async () => {
  const read = readCalls();
  let calls: Call[] = [];
  const gate = async () => {
    calls = read();
  };
  const slack = await replayedSlack(["Hello."], { gate });
  await slack.deliver("app-mention");
  await slack.until("chat.postMessage");
  const way = calls.filter(({ file }) => !file.startsWith("base/"));
  expect(filesOf(way)).toEqual((await documented()).filter((file) => !beside.includes(file)));
  // A longer way is no shorter to read: raise the number only with a reason.
  expect(way.length).toBeLessThanOrEqual(32);
});

test("a piece of an answer passes three files between the model's reader and the writer of its turn", async () => {
  const read = readCalls();
  let calls: Call[] = [];
  const tracer = () => (event: { type: string }) => {
    if (event.type === "text_delta") calls = read();
  };
  await createTestApp(scriptedModel(["Hello."]), { tracer }).ask("Hi");
  const reader = calls.findLastIndex(({ file }) => file === "core/turn/read-answer.ts");
  expect(filesOf(calls.slice(reader + 1))).toEqual([
    "core/turn/turn-opening.ts",
    "app/chat/create-turn-presenter.ts",
    "app/turns/dispatcher.ts",
    "app/turns/turn-writer.ts",
    "app/turns/turn-measure.ts",
  ]);
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { builtProgram, startOptions } from "../../support/bot/built-program.ts";
import { sharedBrowser } from "../../support/browser.ts";
import { chunk, sendEvents, startWireServer, type WireServer } from "../../unit/models/wire-server.ts";

/** A bot in its own process, a model that answers by what it is told, and a browser. */
export interface ConsoleBench {
  url: string;
  /** A fresh browser profile with the console open, until the test ends; `errors` collects what the page complains about. */
  open(hash?: string, size?: Partial<Size>): Promise<OpenPage>;
  /** The page that the tests of a file share, in a channel that nobody has used: loading a page costs more than most tests. */
  visit(size?: Partial<Size>): Promise<OpenPage & { channel: string }>;
  /** Lets the model answer what it thinks about. */
  endThinking(): void;
  /** Kills the bot in the middle of what it does. */
  killBot(): Promise<void>;
  /** Ends the bot; `startBot` begins it anew on the same data and port. */
  stopBot(): Promise<void>;
  startBot(): Promise<void>;
  close(): Promise<void>;
}

interface Size {
  width: number;
  height: number;
}

interface OpenPage {
  page: Page;
  errors: string[];
}

const unsafeAnswer =
  '<img src=x onerror="document.title=1"><script>document.title=2</script> [link](javascript:alert(1)) ![spy](https://example.com/spy.png)\n\n```js\nlet a = 1;\n```';

/** With KNACK_PICTURES, a folder, the page is drawn there. */
export async function drawPage(page: Page, name: string): Promise<void> {
  const folder = process.env.KNACK_PICTURES ?? "";
  if (folder !== "") await page.screenshot({ path: path.join(folder, `console-${name}.png`) });
}

/** `environment` is added to the bot's. */
export async function openConsoleBench(environment: Record<string, string> = {}): Promise<ConsoleBench> {
  const data = await mkdtemp(path.join(tmpdir(), "knack-console-"));
  const thinking: ServerResponse[] = [];
  const model = await startWireServer((response, body) => answer(response, body, thinking));
  const browser = await sharedBrowser();
  const start = (port: number) => startBot(data, model, port, environment);
  let bot = await start(0);
  const openPage = async (hash: string, { width = 1280, height = 800 }: Partial<Size>) => {
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(bot.url + hash);
    await page.locator("#composer").waitFor();
    return { page, errors };
  };
  let shared: OpenPage | undefined;
  let visits = 0;
  return {
    url: bot.url,
    async open(hash = "", size = {}) {
      const opened = await openPage(hash, size);
      onTestFinished(() => opened.page.context().close());
      return opened;
    },
    async visit({ width = 1280, height = 800 } = {}) {
      visits += 1;
      const channel = `visit-${visits}`;
      shared ??= await openPage("", {});
      const { page, errors } = shared;
      if (await page.locator("#skills").isVisible())
        await page.getByRole("button", { name: "Skills", exact: true }).click();
      await page.setViewportSize({ width, height });
      await page.goto(`${bot.url}/#/${channel}`);
      await page.locator(".channel[aria-current]", { hasText: channel }).waitFor({ state: "attached" });
      errors.length = 0;
      return { page, errors, channel };
    },
    endThinking() {
      for (const response of thinking.splice(0)) endText(response, "The second is **cheaper**.");
    },
    async killBot() {
      const ended = once(bot.process, "exit");
      bot.process.kill("SIGKILL");
      await ended;
      thinking.length = 0;
    },
    stopBot: () => stop(bot.process),
    async startBot() {
      bot = await start(Number(new URL(bot.url).port));
    },
    async close() {
      await shared?.page.context().close();
      await stop(bot.process);
      await model.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function startBot(
  data: string,
  model: WireServer,
  port: number,
  more: Record<string, string>,
): Promise<{ process: ChildProcess; url: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: data,
    KNACK_DATA: data,
    KNACK_MODEL: "openai/test-model",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${model.url}/v1`,
    ...more,
  };
  const args = [...startOptions, await builtProgram(), "start", "--port", String(port)];
  const bot = spawn(process.execPath, args, {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: bot.stdout })) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return { process: bot, url: new URL(url).origin };
  }
  throw new Error("The bot ended before it was ready");
}

async function stop(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return;
  const ended = once(bot, "exit");
  bot.kill("SIGTERM");
  await ended;
}

const lookGuide = `---
name: look-around
description: Says which files are in the thread.
---
# Look around
List the files with \`list_files\` and say what there is.
`;

/** `look around`: lists the files; made a skill by the button. `ask me`: asks back. `tidy up`: runs a script of the skill `cleaner`. `unsafe`: hostile Markdown. `forever`: never ends. `think`: thinks until it is let go on. Anything else: greets. */
function answer(response: ServerResponse, body: Record<string, unknown>, thinking: ServerResponse[]): void {
  const messages = body.messages as { role: string; content: unknown }[];
  const said = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  const result = messages.at(-1)?.role === "tool" ? String(messages.at(-1)?.content) : undefined;
  if (JSON.stringify(messages[0]).includes("You review a skill"))
    sendText(response, '{"doubtful": true, "reason": "It shows text in another order than it runs."}');
  else if (/look around|Make this thread a skill/.test(said)) look(response, said, result);
  else if (result !== undefined)
    sendText(response, `You chose: ${/spring|summer|refused/.exec(result)?.[0]}.`);
  else if (said.includes("ask me"))
    sendCall(response, "ask_user", { question: "When?", choices: ["In spring", "In summer"] });
  else if (said.includes("tidy up"))
    sendCall(response, "run_skill_script", {
      skill_name: "cleaner",
      script: "clean.sh",
      args: ["/tmp/\u202eold"],
    });
  else if (said.includes("think")) {
    begin(response, { reasoning_content: "I read the minutes of March. Then I compare both budgets. Now" });
    thinking.push(response);
  } else if (said.includes("forever")) begin(response, { content: "It was a dark and stormy night" });
  else sendText(response, said.includes("unsafe") ? unsafeAnswer : "Hello **there**, from the model.");
}

function look(response: ServerResponse, said: string, result: string | undefined): void {
  if (result !== undefined) sendText(response, "Nothing lies here.");
  else if (said.includes("look around")) sendCall(response, "list_files", {});
  else
    sendCall(response, "skill-maker", {
      text: lookGuide,
      request: "look around",
      why: "to see what is here",
    });
}

function sendCall(response: ServerResponse, name: string, input: object): void {
  const call = {
    index: 0,
    id: "call-1",
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  };
  sendEvents(response, [chunk({ tool_calls: [call] }), chunk({}, "tool_calls")]);
}

/** A stream that says something and then nothing more. */
function begin(response: ServerResponse, delta: Record<string, unknown>): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify(chunk(delta))}\n\n`);
}

/** The rest of a stream that was begun. */
function endText(response: ServerResponse, text: string): void {
  for (const each of [chunk({ content: text }), chunk({}, "stop")])
    response.write(`data: ${JSON.stringify(each)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function sendText(response: ServerResponse, text: string): void {
  sendEvents(response, [chunk({ content: text }), chunk({}, "stop")]);
}

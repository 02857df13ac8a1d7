/**
 * The client that MCP's conformance suite judges: the tool servers of the bot, on the suite's server. The person is played by this
 * module: it opens links, takes the defaults of every form, and allows what is asked.
 */

import { serverToolName } from "../../src/core/skill/catalogue.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/core/skill/tool.ts";
import type { Json } from "../../src/core/values/json.ts";
import { openJudgedBot } from "./judged-bot.ts";
import { type ScenarioContext, scenarioEntry } from "./scenario-entry.ts";

/** A person who has logged in so often for one thing gives up. */
const maxLogins = 3;

type Bot = Awaited<ReturnType<typeof openJudgedBot>>;

/** Tries something, with a login in between where it needs one. */
async function withLogins<T>(
  bot: Bot,
  attempt: () => Promise<T>,
  needsLogin: (outcome: T) => boolean,
): Promise<T> {
  for (let logins = 0; ; logins += 1) {
    const outcome = await attempt();
    if (!needsLogin(outcome) || logins === maxLogins) return outcome;
    await bot.logIn();
  }
}

async function callTool(bot: Bot, tool: Tool, input: Json, number: number): Promise<ToolResult> {
  return await withLogins(
    bot,
    () => tool.run(input, createContext(number)),
    (result) => result.status === "error" && result.code === "needs_login",
  );
}

/** The turn of a person who takes every default and allows everything. */
function createContext(call: number): ToolContext {
  return {
    call_id: `call-${call}`,
    turn_id: "turn",
    place: { namespace: "console:local:general", thread: "main" },
    user: { id: "operator", name: "Operator", trust: "operator" },
    signal: new AbortController().signal,
    progress: () => {},
    journalled: () => undefined,
    ask: async () => "skip",
    approve: async () => ({ approved: true, by: "operator" }),
    generative: false,
    file: async ({ name }) => name,
  } as Partial<ToolContext> as ToolContext;
}

/** Something of every type a tool wants. */
function argumentsFor({ parameters }: Tool): Json {
  const { properties = {} } = parameters as { properties?: Record<string, { type?: string }> };
  const values: Record<string, Json> = { string: "text", number: 2, integer: 2, boolean: true };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, values[type ?? ""] ?? {}]),
  );
}

/** Connects to the suite's server and calls its tools; returns what the calls gave. @throws when one of them failed */
export async function beJudged(url: string, scenario: string, given: ScenarioContext): Promise<string[]> {
  const bot = await openJudgedBot(scenarioEntry(url, scenario, given));
  try {
    const status = await withLogins(bot, bot.connect, (now) => now?.state === "needs_login");
    if (status?.state !== "running") throw new Error(`Not connected: ${status?.problem}`);
    const results: string[] = [];
    const tools = await bot.tools();
    const called = ({ name }: { name: string }) =>
      tools.find((tool) => tool.name === serverToolName("judge", name));
    const calls = given.toolCalls?.flatMap((each) => {
      const tool = called(each);
      return tool === undefined ? [] : [{ tool, input: each.arguments }];
    });
    const each = calls ?? tools.map((tool) => ({ tool, input: argumentsFor(tool) }));
    for (const [number, { tool, input }] of each.entries()) {
      const result = await callTool(bot, tool, input, number);
      results.push(`${tool.name} ${JSON.stringify(result)}`);
      if (result.status === "error") throw new Error(results.join("\n"));
    }
    return results;
  } finally {
    await bot.close();
  }
}

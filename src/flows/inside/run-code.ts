/**
 * Runs in the sandbox, one process per step. Reads a line `{code, variables}` and answers `{result}` or `{error}`. The code has its own
 * globals. Imports nothing from the bot.
 */
import { createInterface } from "node:readline";
import { format } from "node:util";
import { createContext, runInContext } from "node:vm";

/** A request from the bot. */
interface CodeRequest {
  code: string;
  variables: unknown;
}

/** Maximum characters of a result as JSON. */
const maxResult = 2_000_000;

const say = (...words: unknown[]) => process.stderr.write(`${format(...words)}\n`);

async function run({ code, variables }: CodeRequest): Promise<string> {
  const context = createContext({
    console: { log: say, info: say, warn: say, error: say },
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    structuredClone,
  });
  const AsyncFunction = runInContext("(async () => {}).constructor", context);
  const parse = runInContext("JSON.parse", context);
  const result = await new AsyncFunction("variables", code)(parse(JSON.stringify(variables)));
  const text = JSON.stringify(result ?? null) ?? "null";
  if (text.length > maxResult) throw new Error(`It returned more than ${maxResult} characters.`);
  return text;
}

function reasonOf(error: unknown): string {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  const reason = typeof message === "string" ? `${String(name ?? "Error")}: ${message}` : String(error);
  return reason.slice(0, 2_000);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    process.stdout.write(`{"result":${await run(JSON.parse(line))}}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: reasonOf(error) })}\n`);
  }
}

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The address in the line the bot prints when it is ready. */
export async function addressOf(bot: ChildProcess): Promise<string> {
  const complaints: string[] = [];
  bot.stderr?.setEncoding("utf8").on("data", (text: string) => complaints.push(text));
  if (bot.stdout === null) throw new Error("The bot has no standard output");
  for await (const line of createInterface({ input: bot.stdout })) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`The bot ended before it was ready: ${complaints.join("")}`);
}

/** Ends a bot as its operator would. */
export async function stop(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return;
  const exited = once(bot, "exit");
  bot.kill("SIGTERM");
  await exited;
}

import { setTimeout as sleep } from "node:timers/promises";
import type { BotHome, BotProcess } from "../support/bot/bot-process.ts";

export interface KillerOptions {
  home: BotHome;
  port: number;
  kills: number;
  /** Which part of the work is done, from 0 to 1. */
  progress(): number;
  /** Ends it before all kills are done. */
  signal: AbortSignal;
}

/** Every so many kills one hits a bot that has not said yet that it is ready. */
const early = 5;

/** A bot is killed after so long even if its work does not get on, ms. */
const patienceMs = 20_000;

/** Kills the bot again and again while it works, evenly over the work, and starts the next one. Answers how often. */
export async function killAgainAndAgain(
  first: BotProcess,
  { home, port, kills, progress, signal }: KillerOptions,
): Promise<number> {
  let bot = first;
  let done = 0;
  const isDue = () => progress() >= (0.95 * done) / kills;
  while (done < kills && progress() < 1 && !signal.aborted) {
    const giveUp = performance.now() + patienceMs;
    while (!isDue() && performance.now() < giveUp && !signal.aborted) await sleep(50);
    await sleep(Math.random() * 1_000);
    await bot.kill();
    done += 1;
    if (done % early === 0 && done < kills) {
      const child = home.spawn(["start", "--port", String(port)]);
      await sleep(Math.random() * 2_000);
      child.signal("SIGKILL");
      await child.exited;
      done += 1;
    }
    bot = await home.start({ port });
  }
  return done;
}

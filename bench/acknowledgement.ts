import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { builtProgram } from "../test/support/bot/built-program.ts";
import type { Observation } from "../test/support/slack/observation.ts";
import { type SlackServer, startSlackServer } from "../test/support/slack/slack-server.ts";
import { addressOf, stop } from "./bot-child.ts";
import type { MockModel } from "./child.ts";
import { limited, type Measure } from "./measure.ts";

/** Turns that run while the measured messages come. */
const running = 200;
/** One channel gets three quarters of the slots. */
const slots = Math.ceil((running * 4) / 3);
/** Messages whose acknowledgement is measured. */
const measured = 200;

/**
 * How long Slack waits for an acknowledgement while 200 turns stream their answers: the 99th percentile, over Socket Mode, as the
 * fake Slack sees it from sending the envelope to its acknowledgement. A message is acknowledged when it is stored.
 */
export async function measureAcknowledgement(mock: MockModel, folder: string): Promise<Measure[]> {
  const home = path.join(folder, "acknowledgement");
  await mkdir(home);
  await writeFile(path.join(home, "knack.yaml"), `turns: {concurrent: ${slots}}\n`);
  const slack = await startSlackServer({ ackTimeoutMs: 60_000 });
  const bot = await startBot(home, slack, new URL("/slow/v1", mock.url).href);
  try {
    await addressOf(bot);
    await slack.until((state) => state.all.connections > 0, "the bot's socket", 30_000);
    await sayAll(slack, running);
    await slack.until((state) => acknowledged(state).length >= 2 * running, "the first turns", 60_000);
    const before = (await slack.look()).all.deliveries.length;
    await sayAll(slack, measured);
    const state = await slack.until(
      (now) => acknowledged(now, before).length >= 2 * measured && now,
      "the measured messages",
      60_000,
    );
    const times = acknowledged(state, before).sort((a, b) => a - b);
    const ours = times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
    return [
      limited({
        name: `Acknowledgement, 99th percentile, ${running} turns running`,
        ours,
        target: 1000,
        unit: "ms",
      }),
    ];
  } finally {
    await stop(bot);
    await slack.close();
  }
}

async function sayAll(slack: SlackServer, count: number): Promise<void> {
  const [workspace] = slack.seed.workspaces;
  const channel = slack.seed.channels.find((each) => each.kind === "public");
  if (workspace === undefined || channel === undefined) throw new Error("The fake Slack is empty");
  for (let at = 0; at < count; at += 1) {
    await slack.say({
      user: channel.creator,
      channel: channel.id,
      text: `<@${workspace.bot_user_id}> what about order ${at}?`,
    });
  }
}

/** Milliseconds until each delivery was acknowledged. */
function acknowledged(state: Observation, from = 0): number[] {
  return state.all.deliveries
    .slice(from)
    .flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.latency_ms ?? []));
}

async function startBot(home: string, slack: SlackServer, modelUrl: string): Promise<ChildProcess> {
  const env = {
    PATH: process.env.PATH,
    KNACK_CONFIG: "knack.yaml",
    KNACK_DATA: path.join(home, "data"),
    KNACK_MODEL: "openai/bench",
    OPENAI_API_KEY: "bench-key",
    OPENAI_BASE_URL: modelUrl,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.seed.workspaces[0]?.bot_token,
    SLACK_APP_TOKEN: slack.seed.app.app_token,
    LOG_LEVEL: "error",
  };
  return spawn(process.execPath, [await builtProgram(), "start", "--port", "0"], {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

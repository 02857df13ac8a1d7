import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { freePort } from "../../support/bot/free-port.ts";
import { createMovedClock } from "../../support/bot/moved-clock.ts";
import { ended } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const clone = fileURLToPath(new URL("../../..", import.meta.url));

describe("a bot that npm started", () => {
  const bot = useBot();
  let npm: ChildProcess | undefined;

  afterEach(() => {
    killGroup(npm?.pid);
    npm = undefined;
  });

  /** `npm start` in the clone, the leader of a process group of its own, as a shell starts it. */
  async function npmStart(env: Record<string, string> = {}) {
    const { home, gate } = bot();
    const port = await freePort();
    const child = spawn("npm", ["start", "--", "--port", String(port)], {
      cwd: clone,
      detached: true,
      env: {
        ...{ PATH: process.env.PATH, HOME: home.folder, LOG_LEVEL: "warn" },
        ...{ KNACK_DATA: home.data, KNACK_CONFIG: `${home.folder}/knack.yaml` },
        ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: `${gate.url}/v1` },
        ...env,
      },
    });
    npm = child;
    let output = "";
    const says = async (text: string) => {
      while (!output.includes(text)) await once(child, "said");
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        output += part;
        child.emit("said");
      });
    }
    const url = `http://127.0.0.1:${port}`;
    await says(`is ready: ${url}`);
    const exited = once(child, "exit");
    return { pid: child.pid ?? 0, says, url, exited, client: createApiClient({ fetch, baseUrl: url }) };
  }

  const message = { namespace: "console:local:general", thread: "t1", text: "hello" };
  const answer = { match: { userMessage: "hello" }, response: { content: "Hello, you." } };

  it.each([
    ["SIGTERM to npm and bot, as service managers send it", "SIGTERM", -1],
    ["Ctrl-C, which the terminal sends to npm and bot", "SIGINT", -1],
  ] as const)(
    "a bot that npm started finishes its turn and frees its port after %s",
    async (_, signal, whom) => {
      const { models, gate, home } = bot();
      await models.add([answer]);
      gate.close();
      const { pid, says, url, exited, client } = await npmStart();
      const { turn_id } = await client.submitTurn(message);
      await gate.reached(1);
      process.kill(whom * pid, signal);
      await says("Stopping after the running turns");
      gate.open();
      expect(await exited).toEqual([0, null]);
      await expect(fetch(`${url}/healthz`)).rejects.toThrow();

      const next = await home.start();
      expect((await ended(next.client, turn_id)).text).toBe("Hello, you.");
      expect(gate.requests).toHaveLength(1);
    },
  );

  it("a bot that npm started ends at once when it is told a second time", async () => {
    const { models, gate } = bot();
    await models.add([answer]);
    gate.close();
    const clock = await createMovedClock();
    onTestFinished(() => clock.remove());
    const { pid, says, url, exited, client } = await npmStart(clock.env);
    await client.submitTurn(message);
    await gate.reached(1);
    process.kill(pid, "SIGTERM");
    await says("Stopping after the running turns");
    // A person presses Ctrl-C again later than npm repeats a signal. Only once: npm, which ends after the bot, does not survive a third.
    await clock.pass(1_000);
    process.kill(pid, "SIGTERM");
    expect(await exited).toEqual([130, null]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});

/** Ends what a failed test left: npm, and a bot that outlived it. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // Nothing is left.
  }
}

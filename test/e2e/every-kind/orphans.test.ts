import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { BotProcess } from "../../support/bot/bot-process.ts";
import { place, useEveryKind } from "../support/every-kind-bot.ts";
import { familyOf, stillThere } from "../support/process-family.ts";
import { until } from "../support/turns.ts";

const kinds = useEveryKind();
const testServer = fileURLToPath(new URL("../../support/skills/mcp-server-process.ts", import.meta.url));
const patience = { timeout: 15_000, interval: 100 };

/** Code that never ends, and says when it began. */
const endless = "module.exports.runtime = { handler() { this.introspect('spinning'); for (;;) {} } };";
const plugin = JSON.stringify({
  ...{ hubId: "spin", name: "Spin", description: "Spins.", active: true, schema: "skill-1.0.0" },
  ...{ version: "1.0.0", entrypoint: { file: "handler.js", params: {} }, imported: true },
});
const guide = "---\nname: sleeper\ndescription: Sleeps.\n---\nRun scripts/sleep.sh.\n";

/**
 * A bot in the middle of a handler, a script with a grandchild, a call of a server that hears nothing and has a grandchild, and an
 * installation from a repository that never arrives.
 */
async function busyBot(): Promise<BotProcess> {
  const { home, model, site } = kinds();
  const knack = { approval: "none" };
  const servers = { test: { command: process.execPath, args: [testServer], knack } };
  await home.write("config/mcp.json", JSON.stringify({ mcpServers: servers }));
  await home.write(".knack-workspace/skills/spin/plugin.json", plugin);
  await home.write(".knack-workspace/skills/spin/handler.js", endless);
  await home.write(".knack-workspace/skills/sleeper/SKILL.md", guide);
  await home.write(
    ".knack-workspace/skills/sleeper/scripts/sleep.sh",
    "sleep 601 & echo asleep; sleep 602\n",
  );
  const bot = await home.start();
  const { client } = bot;
  await client.call("server.control", { name: "test", action: "start" });
  for (const id of ["spin", "sleeper", "mcp_test"])
    await client.call("skill.set", { ns: place.namespace, id, state: "pinned" });
  const sleep = { skill_name: "sleeper", script: "scripts/sleep.sh" };
  const calls = {
    spin: { call: "spin", with: {} },
    sleep: { call: "run_skill_script", with: sleep },
    hang: { call: "test__hang", with: {} },
  };
  for (const [text, call] of Object.entries(calls)) model.when(text, () => [call]);
  model.when("family", ({ results }) => [results.length === 0 ? { call: "test__pid", with: {} } : "born"]);
  const family = await client.submitTurn({ ...place, thread: "family", text: "family" });
  await until(client, family.turn_id, "turn_finished");
  const working = Object.keys(calls).map(async (text) => {
    const { turn_id } = await client.submitTurn({ ...place, thread: text, text });
    await until(client, turn_id, text === "hang" ? "tool_started" : "tool_progress");
  });
  await Promise.all(working);
  site.close();
  client.call("package.install", { url: `${site.url}/moon.git` }).catch(() => {});
  await site.reached(1);
  return bot;
}

describe("nothing that worked for a bot is left", () => {
  it.each(["killed", "stopped"])("no process of a bot is left when it was %s", async (how) => {
    const bot = await busyBot();
    const family = await familyOf(bot.pid);
    const commands = family.map(({ command }) => command).join("\n");
    for (const part of [
      "mcp-server-process",
      "sleep 600",
      "sleep 601",
      "sleep 602",
      "handler-host",
      "moon.git",
    ])
      expect(commands).toContain(part);
    if (how === "killed") await bot.kill();
    else {
      bot.signal("SIGTERM");
      // The second signal says not to wait for what runs.
      await bot.terminate();
    }
    await expect.poll(() => stillThere(family), patience).toEqual([]);
  });
});

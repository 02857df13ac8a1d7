import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatLines } from "../../soak/report.ts";
import { soak } from "../../soak/soak.ts";
import { createBotHome } from "../../support/bot/bot-process.ts";
import { makeNextVersion } from "../../support/bot/next-version.ts";
import { needs } from "../../support/needs.ts";
import { freshDatabase } from "../../support/postgres.ts";

describe("a bot on PostgreSQL in working hours", needs("postgresql"), () => {
  it("processes are replaced one by one by a version with a larger schema, and nothing is lost", {
    timeout: 400_000,
  }, async () => {
    const next = await makeNextVersion();
    onTestFinished(next.remove);
    const { lines } = await soak({
      store: "postgres",
      roles: ["gateway", "gateway", "worker", "worker"],
      size: {
        ...{ messages: 80, threads: 10, chat: 0, clients: 12, minutes: 5 },
        ...{ kills: 0, pauses: 0, cuts: 0, restarts: 0 },
      },
      config: "turns: { lease_seconds: 2 }\n",
      pauseMs: 0,
      async meanwhile({ members }) {
        for (const member of members) await member.replace(next.program);
      },
    });
    expect(
      lines.filter(({ wrong = [] }) => wrong.length > 0),
      formatLines(lines),
    ).toEqual([]);
  });

  it("a backup that was made while the bot ran has its conversations", async () => {
    const [database, copy] = [await freshDatabase(), await freshDatabase()];
    const home = await createBotHome();
    onTestFinished(home.remove);
    const bot = await home.start({ env: { DATABASE_URL: database } });
    const message = { namespace: "console:local:general", thread: "t1", text: "/skill list" };
    const { turn_id } = await bot.client.submitTurn(message);
    for await (const event of bot.client.turnEvents(turn_id)) if (event.type === "turn_finished") break;
    const dump = execFileSync("pg_dump", ["--schema=knack", database], { maxBuffer: 1e8 });
    execFileSync("psql", ["--quiet", "--set=ON_ERROR_STOP=1", copy], {
      input: dump,
      stdio: ["pipe", "ignore", "inherit"],
    });
    await bot.kill();
    const restored = await home.start({ env: { DATABASE_URL: copy } });
    const { turns } = await restored.client.call("thread.show", { ns: message.namespace, thread: "t1" });
    expect(turns.map(({ turn }) => [turn.turn_id, turn.status])).toEqual([[turn_id, "finished"]]);
  });
});

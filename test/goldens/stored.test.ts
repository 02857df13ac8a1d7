import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { TurnRecord } from "../../src/core/log/turn-log.ts";
import { openSqliteTurnLog } from "../../src/storage/sqlite/sqlite-turn-log.ts";
import { expectGolden, indented, readGolden, withoutIds, writeMissingGolden } from "./golden.ts";
import { createGoldenClock } from "./golden-bot.ts";
import { type GoldenServer, startGoldenServer } from "./golden-server.ts";
import { describedAnswer, send } from "./http-client.ts";
import { recordTurns } from "./stored-turns.ts";

/** A bot on a turn log that this version has written, as it is recorded; `KNACK_GOLDENS=write` records it again where the file is missing. */
async function startOnStored(): Promise<GoldenServer> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-goldens-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeMissingGolden("stored/turns.sql", () => recordTurns(path.join(folder, "recorded.db")));
  const file = path.join(folder, "turns.db");
  const clock = createGoldenClock();
  const open = () => openSqliteTurnLog(file, { clock: { ...clock, steady: clock.now } });
  await (await open()).close();
  const database = new DatabaseSync(file);
  database.exec(await readGolden("stored/turns.sql"));
  database.close();
  const log = await open();
  const server = await startGoldenServer({ log, clock });
  onTestFinished(async () => {
    await server.test.stop(0);
    await log.close();
  });
  return server;
}

/** How a turn ended, waiting for that. */
async function endOf(
  { test }: GoldenServer,
  { turn_id, namespace, kind, text }: TurnRecord,
): Promise<string> {
  const end = (await test.events(turn_id)).at(-1);
  if (end?.type !== "turn_finished") return `${turn_id} has no end`;
  const marks = [end.outcome, end.private ? "private" : "", end.silent ? "silent" : ""].filter(Boolean);
  const output = end.output === undefined ? "" : `\noutput: ${JSON.stringify(end.output)}`;
  return [
    `>> ${text}`,
    `  ${kind} in ${namespace}: ${marks.join(", ")}`,
    indented(`${end.text}${output}`),
    "",
  ].join("\n");
}

it("stored turns that nobody has taken up are answered", async () => {
  const server = await startOnStored();
  const turns = await server.test.app.turns({ limit: 500 });
  const pending = turns.filter(({ thread }) => thread.startsWith("pending-")).reverse();
  expect(pending.length).toBe(5);
  const records = await Promise.all(pending.map((turn) => endOf(server, turn)));
  expect(server.test.errors).toEqual([]);
  await expectGolden("stored/pending.txt", withoutIds(records.join("\n")));
});

it("stored turns that are finished are shown", async () => {
  const server = await startOnStored();
  const records: string[] = [];
  const turns = await server.test.app.turns({ status: "finished", limit: 500 });
  const ended = turns.filter(({ thread }) => !thread.startsWith("pending-")).reverse();
  expect(ended.length).toBe(8);
  for (const { turn_id } of ended) {
    for (const call of [`GET /runs/${turn_id}`, `GET /turns/${turn_id}/events`]) {
      const answer = describedAnswer(await send(server.url, { call }), { call });
      records.push(withoutIds(`>> ${call}\n${answer}\n`));
    }
  }
  await expectGolden("stored/finished.txt", records.join("\n"));
});

it("stored turns that wait for a person continue", async () => {
  const server = await startOnStored();
  const waiting = await server.test.app.turns({ namespace: "fake:team:general", status: "waiting" });
  const [asks, deploy] = waiting;
  if (asks === undefined || deploy === undefined) throw new Error("No turn waits");
  const asked = { question_id: "run/1?1", text: "the second one" };
  const answers = [
    await send(server.url, { call: `POST /turns/${asks.turn_id}/answer`, json: asked }),
    await send(server.url, { call: `POST /approvals/${deploy.turn_id}:1`, json: { approve: true } }),
  ];
  const records = [
    ...answers.map((answer) => `${describedAnswer(answer, { call: "" })}\n`),
    await endOf(server, asks),
    await endOf(server, deploy),
  ];
  await expectGolden("stored/waiting.txt", withoutIds(records.join("\n")));
});

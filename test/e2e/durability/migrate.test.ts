import { expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { ended, until } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();
const place = { namespace: "console:local:general", thread: "t1" };

test("a bot that was killed goes on in PostgreSQL after a migration", needs("postgresql"), async () => {
  const { home, models, gate } = bot();
  await models.add([
    { match: { userMessage: "green" }, response: { content: "Noted." } },
    { match: { userMessage: "held" }, response: { content: "Here is the answer." } },
    { match: { userMessage: "colour" }, response: { content: "It was green." } },
  ]);
  const first = await home.start();
  const { turn_id: known } = await first.client.submitTurn({
    ...place,
    text: "The door is green",
    key: "k1",
  });
  await ended(first.client, known);
  const url = await freshDatabase();
  const refused = await home.run(["migrate", "--to", url]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`process ${first.pid}`)]);
  gate.close();
  const { turn_id: held } = await first.client.submitTurn({ ...place, thread: "t2", text: "held" });
  await until(first.client, held, "turn_started");
  await gate.reached(2);
  await first.kill();
  gate.open();

  const migrated = await home.run(["migrate"], { env: { DATABASE_URL: url } });
  expect([migrated.code, migrated.stderr]).toEqual([0, ""]);
  expect(migrated.stdout).not.toContain(new URL(url).password);
  const { client } = await home.start({ env: { DATABASE_URL: url } });
  expect(await ended(client, held)).toMatchObject({ outcome: "completed", text: "Here is the answer." });
  const again = await client.submitTurn({ ...place, text: "The door is green", key: "k1" });
  expect(again.turn_id).toBe(known);
  const { turn_id } = await client.submitTurn({ ...place, text: "Which colour?" });
  expect(await ended(client, turn_id)).toMatchObject({ text: "It was green." });
  expect(gate.requests.at(-1)?.body).toContain("The door is green");
});

import { expect, test } from "vitest";
import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import { openSqliteInMemory } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { createTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { turnLogFormat } from "../../../src/storage/sqlite/turn-log-schema.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";

const place = { namespace: inbound("k").namespace, thread: "one" };
const before = 9_000;
const ids = ["t1", "t2"];

/** A log with two old turns of many events, which fails at this write of the deletion. */
async function filled(failing: number): Promise<{ log: TurnLog; broken: TurnLog }> {
  const connection = openSqliteInMemory(turnLogFormat);
  const log = createTurnLog(connection, logTime);
  for (const id of ids) {
    await log.accept(inbound(`key-${id}`), id, 100);
    await claimAt(log, 1_000, "w1", 500);
    const rounds = Array.from(
      { length: 150 },
      (_, round): TurnEventBody => ({ type: "round_started", round }),
    );
    await log.append(id, "w1", [...rounds.map((body, at) => entry(id, at + 1, body)), ending(id, 151)]);
  }
  // The first one looks for old turns.
  let writes = -1;
  const broken = createTurnLog({
    ...connection,
    transaction(work) {
      writes += 1;
      return writes === failing
        ? Promise.reject(new Error("the machine lost power"))
        : connection.transaction(work);
    },
  });
  return { log, broken };
}

/** What is left of each turn: whole, without details, partly without, or gone. */
async function stateOf(log: TurnLog, id: string): Promise<string> {
  const types = (await log.read(id)).map(({ type }) => type);
  if (types.length === 0 && (await log.get(id)) === undefined) return "gone";
  if (types[0] !== "inbound" || types.at(-1) !== "turn_finished") return `broken: ${types.join()}`;
  const details = types.filter((type) => type === "round_started").length;
  if (types.includes("details_removed")) return details === 0 ? "bare" : "partly bare";
  return details === 150 ? "whole" : `broken: ${details} details`;
}

test.each([
  [1, ["whole", "whole"], ids],
  [2, ["partly bare", "whole"], ids],
  [3, ["bare", "partly bare"], ["t2"]],
  [4, ["bare", "bare"], ["t2"]],
  [5, ["bare", "bare"], []],
])(
  "a crash at write %i of a deletion leaves turns that can be read, and the next pass continues",
  async (failing, left, old) => {
    const { log, broken } = await filled(failing);
    await expect(broken.removeTurns(place, before)).rejects.toThrow("power");
    expect(await Promise.all(ids.map((id) => stateOf(log, id)))).toEqual(left);
    expect(await log.threads(place.namespace)).toMatchObject([{ turns: 2 }]);
    expect((await log.oldDetails(before)).turn_ids).toEqual(old);
    expect(await log.removeTurns(place, before)).toEqual(ids);
    expect(await Promise.all(ids.map((id) => stateOf(log, id)))).toEqual(["gone", "gone"]);
    expect([await log.threads(place.namespace), await log.namespaces()]).toEqual([[], []]);
    await log.close();
  },
);

import { expect, it } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { follow } from "../../support/follow.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { appWith, json, startApi } from "./flow-app.ts";

/** A log as a process that was killed after these events leaves it. */
async function logLeftBehind(events: readonly TurnEvent[]): Promise<TurnLog> {
  const log = createMemoryTurnLog();
  const [first] = events;
  if (first?.type !== "inbound") throw new Error("The events do not begin with the command.");
  await log.accept(first.inbound, "left", Date.now());
  await log.claim("dead worker", 60_000);
  await log.append(
    "left",
    "dead worker",
    events.slice(1).map((event) => ({ ...event, turn_id: "left" })),
  );
  await log.reclaim();
  return log;
}

it("a flow whose bot was killed continues where it was, and does nothing twice", async () => {
  const api = await startApi((request, response) => json(api.received.length)(request, response));
  const sent: string[] = [];
  const send = (name: string) => ({ name, effect: "side_effect" as const, run: () => sent.push(name) });
  const wait = () => new Promise<never>(() => {});
  const skills = (last: () => Promise<string>) => [
    testSkill("first", [send("first")]),
    testSkill("second", [send("second")]),
    testSkill("last", [{ name: "last", run: last }]),
  ];
  const tool = (id: string) => ({ type: "tool", config: { tool: id, resultVariable: id } });
  const steps = [
    tool("first"),
    { type: "apiCall", config: { url: api.origin, responseVariable: "got" } },
    { type: "loop", config: { count: 1, steps: [tool("second"), tool("last")] } },
  ];

  const killed = appWith(steps, { skills: skills(wait) });
  const turnId = await killed.app.say("/flow run f");
  const seen: TurnEvent[] = [];
  for await (const event of follow(killed.app.app, turnId)) {
    seen.push(event);
    if (event.type === "tool_started" && event.tool === "last") break;
  }
  const log = await logLeftBehind(seen);
  const { app } = appWith(steps, { log, skills: skills(async () => "done") });
  const end = (await app.events("left")).at(-1);
  expect(end).toMatchObject({
    outcome: "completed",
    output: { output: { variables: { first: 1, got: 1, second: 2, last: "done" } } },
  });
  expect(sent).toEqual(["first", "second"]);
  expect(api.received).toHaveLength(1);
});

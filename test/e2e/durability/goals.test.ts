import { describe, expect, it } from "vitest";
import { endsIn, expectWholeTurn, stored } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { ns: "console:local:general", thread: "t1" };

describe("a bot that was killed while it worked on a goal", () => {
  const bot = useBot();

  it("a goal goes on after kill -9, has each of its turns once, and ends when it is reached", async () => {
    const { home, models, gate } = bot();
    const says = (turn: number, content: string) => ({
      match: { userMessage: `turn ${turn} of 5` },
      response: { content },
    });
    await models.add([
      says(1, "I have the numbers.\nGoal continues: the chart"),
      says(2, "I have the chart.\nGoal continues: the report"),
      says(3, "I have the report.\nGoal reached: report.pdf has a chart per region"),
    ]);
    const isSecond = ({ body }: { body: string }) => body.includes("turn 2 of 5");
    gate.close(isSecond);
    const first = await home.start();
    const aim = "the report has a chart per region";
    const set = await first.client.call("goal.set", { ...place, aim, turns: 5 });
    expect(set).toMatchObject({ goal: { aim, state: "going", max_turns: 5 } });
    await gate.reached(1, isSecond);
    await first.kill();
    gate.open();
    const { client } = await home.start();
    const ends = await endsIn(client, place, 3);
    expect(ends.map(({ text }) => text.split("\n").at(-1))).toEqual([
      "Goal continues: the chart",
      "Goal continues: the report",
      "Goal reached: report.pdf has a chart per region",
    ]);
    for (const { turn_id } of ends) expectWholeTurn(await stored(client, turn_id));
    const shown = await client.call("goal.show", place);
    expect(shown).toMatchObject({ goal: { state: "reached", turns: 3 } });
    const line = await home.run(["goal", "show", place.ns, place.thread]);
    expect(line.stdout).toMatch(/the report has a chart per region.*It is reached.*turn 3 of 5/);
  });
});

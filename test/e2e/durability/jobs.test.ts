import { describe, expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import { endsIn, stored } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const namespace = "console:local:general";
const place = { ns: namespace, thread: "t1" };

describe("jobs of a whole bot", needs("bubblewrap"), () => {
  const bot = useBot();

  /** Lets the model run this shell script as a job when it is asked, and say something about its news. */
  async function runs(code: string) {
    const { models } = bot();
    const call = { language: "bash", code, watch: { line: "half done" } };
    await models.add([
      {
        match: { userMessage: "build it", hasToolResult: false },
        response: { toolCalls: [{ name: "run_code", arguments: JSON.stringify(call) }] },
      },
      { match: { userMessage: "has printed the line" }, response: { content: "Half of it is done." } },
      { match: { userMessage: "The job ended" }, response: { content: "It is built." } },
      { match: { toolResultContains: "runs, for at most" }, response: { content: "It runs." } },
    ]);
  }

  it("a job goes on after its turn, tells of its line and its end, and its file stays in the thread", async () => {
    await runs(
      "echo half done; sleep 61 & echo built > result.txt; head -c 20000 /dev/zero | tr '\\0' x; echo",
    );
    const { client } = await bot().home.start();
    await client.submitTurn({ namespace, thread: "t1", text: "build it" });
    const ends = await endsIn(client, place, 2);
    expect(ends[0]?.text).toBe("It runs.");
    // Both may come before the first turn about them begins.
    expect(ends[1]?.text).toMatch(/Half of it is done|It is built/);
    const told = await stored(client, ends[1]?.turn_id ?? "");
    expect(JSON.stringify(told[0])).toMatch(/has printed the line|exit code 0/);
  });

  it("a job that prints without end is stopped by its limits, and its thread is told", async () => {
    await runs("yes | head -c 20000000");
    const { client } = await bot().home.start();
    await client.submitTurn({ namespace, thread: "t1", text: "build it" });
    const ends = await endsIn(client, place, 2);
    const told = JSON.stringify((await stored(client, ends[1]?.turn_id ?? ""))[0]);
    expect(told).toContain("It printed more than 8 MB and was stopped");
    expect(told.length).toBeLessThan(20_000);
  });

  it("a script of a skill goes on after its turn in the sandbox, on the files of the thread, which outlive the bot", async () => {
    const { home, models } = bot();
    const folder = ".knack-workspace/skills/trainer";
    const guide =
      "---\nname: trainer\ndescription: Trains. Use to train.\nactive: true\n---\nRun train.sh.\n";
    await home.write(`${folder}/SKILL.md`, guide);
    await home.write(`${folder}/loss.txt`, "0.2\n");
    await home.write(
      `${folder}/train.sh`,
      'cat "$KNACK_SKILL_DIR/loss.txt" loss.txt data/start.txt > "$KNACK_OUTPUT_DIR/loss-$1.txt"\n',
    );
    const call = { skill_name: "trainer", script: "train.sh", args: ["one"], watch: {} };
    const code = (line: string) => ({
      toolCalls: [{ name: "run_code", arguments: JSON.stringify({ language: "bash", code: line }) }],
    });
    await models.add([
      {
        match: { userMessage: "train it", hasToolResult: false },
        response: code("mkdir data; echo 0.9 > data/start.txt; echo prepared"),
      },
      {
        match: { toolResultContains: "prepared" },
        response: { toolCalls: [{ name: "run_skill_script", arguments: JSON.stringify(call) }] },
      },
      {
        match: { userMessage: "how did it go?", hasToolResult: false },
        response: code("cat output/loss-one.txt loss.txt | tr '\\n' ' '"),
      },
      { match: { toolResultContains: "0.2 0.2 0.9 0.2" }, response: { content: "From 0.9 to 0.2." } },
      { match: { userMessage: "The job ended" }, response: { content: "It is trained." } },
      { match: { toolResultContains: "runs, for at most" }, response: { content: "It trains." } },
    ]);
    const first = await home.start();
    const { client } = first;
    await client.submitTurn({ namespace, thread: "t1", text: "train it" });
    const ends = await endsIn(client, place, 2);
    expect(ends.map(({ text }) => text)).toEqual(["It trains.", "It is trained."]);
    const told = JSON.stringify((await stored(client, ends[1]?.turn_id ?? ""))[0]);
    expect(told).toContain("exit code 0");
    expect(told).toContain("loss-one.txt");
    await first.kill();
    const second = await home.start();
    await second.client.submitTurn({ namespace, thread: "t1", text: "how did it go?" });
    expect((await endsIn(second.client, place, 3)).at(-1)?.text).toBe("From 0.9 to 0.2.");
  });

  it("a job dies with its bot; after kill -9 its thread is told once, and it does not run again", async () => {
    await runs("echo one > started.txt; sleep 600");
    const { home } = bot();
    const first = await home.start();
    await first.client.submitTurn({ namespace, thread: "t1", text: "build it" });
    await endsIn(first.client, place, 1);
    await first.kill();
    const second = await home.start();
    const ends = await endsIn(second.client, place, 2);
    expect(ends[1]?.text).toMatch(/ended when I was restarted.*Shall I run it again\?/);
    expect(await second.client.call("schedule.list", { namespace })).toEqual({ schedules: [] });
    await second.kill();
    const third = await home.start();
    expect((await third.client.call("thread.show", place)).turns).toHaveLength(2);
  });
});

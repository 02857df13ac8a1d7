import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import type { ModelFixture } from "../../support/models/model-server.ts";
import type { GateRequest } from "../support/gate.ts";
import { ended, eventsOf, expectWholeTurn, stored, until } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { namespace: "console:local:general", thread: "t1" };

const bot = useBot();

/** A model that calls these tools for “go”, and then says “done” if a result of theirs has the text. */
function callsThenDone(calls: { name: string; arguments: unknown }[], result: string): ModelFixture[] {
  const toolCalls = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
  return [
    { match: { userMessage: "go", hasToolResult: false }, response: { toolCalls } },
    { match: { toolResultContains: result }, response: { content: "done" } },
  ];
}

const visits = (path: string) => (request: GateRequest) => request.path === path;
const afterTools = ({ body }: GateRequest) => body.includes('"role":"tool"');

async function go(client: ApiClient): Promise<string> {
  await client.call("skill.set", { ns: place.namespace, id: "web-scraping", state: "pinned" });
  return (await client.submitTurn({ ...place, text: "go" })).turn_id;
}

it.each(["web-scraping", "invoke_skill"])(
  "a killed call of %s, which only reads, runs again",
  async (name) => {
    const { home, models, pages, gate } = bot();
    const url = `${pages.url}/slow`;
    const input = name === "invoke_skill" ? { skill_id: "web-scraping", params: { url } } : { url };
    await models.add(callsThenDone([{ name, arguments: input }], "the page called /slow"));
    pages.close(visits("/slow"));
    const first = await home.start();
    const turn = await go(first.client);
    await pages.reached(1, visits("/slow"));
    await first.kill();
    pages.open();

    const { client } = await home.start();
    expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "done" });
    const events = await stored(client, turn);
    expectWholeTurn(events);
    expect(eventsOf(events, "tool_finished").map(({ status }) => status)).not.toContain("error");
    expect(pages.requests.filter(visits("/slow"))).toHaveLength(2);
    expect(gate.requests).toHaveLength(2);
  },
);

it("a finished tool does not run again when the bot was killed before the model's next answer", async () => {
  const { home, models, pages, gate } = bot();
  const call = { name: "web-scraping", arguments: { url: `${pages.url}/once` } };
  await models.add(callsThenDone([call], "the page called /once"));
  gate.close(afterTools);
  const first = await home.start();
  const turn = await go(first.client);
  await gate.reached(1, afterTools);
  await first.kill();
  gate.open();

  const { client } = await home.start();
  expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "done" });
  expectWholeTurn(await stored(client, turn));
  expect(pages.requests.filter(visits("/once"))).toHaveLength(1);
});

it("a kill during two parallel calls repeats only the one that had not finished", async () => {
  const { home, models, pages } = bot();
  const calls = ["/quick", "/slow"].map((path) => ({
    name: "web-scraping",
    arguments: { url: pages.url + path },
  }));
  await models.add(callsThenDone(calls, "the page called /slow"));
  pages.close(visits("/slow"));
  const first = await home.start();
  const turn = await go(first.client);
  await Promise.all([until(first.client, turn, "tool_finished"), pages.reached(1, visits("/slow"))]);
  await first.kill();
  pages.open();

  const { client } = await home.start();
  expect((await ended(client, turn)).text).toBe("done");
  const events = await stored(client, turn);
  expectWholeTurn(events);
  expect(eventsOf(events, "tool_finished")).toHaveLength(2);
  expect(pages.requests.filter(visits("/quick"))).toHaveLength(1);
  expect(pages.requests.filter(visits("/slow"))).toHaveLength(2);
});

it("a script that may have had effects never runs again, and the model is told", async () => {
  const { home, models, gate } = bot();
  await home.write(
    ".knack-workspace/skills/deploy/SKILL.md",
    "---\nname: deploy\ndescription: Deploys the site. Use to deploy.\n---\nRun scripts/deploy.sh.\n",
  );
  await home.write(
    ".knack-workspace/skills/deploy/scripts/deploy.sh",
    "while echo deploying; do sleep 0.2; done\n",
  );
  const mark = `mark-${crypto.randomUUID()}`;
  const input = { skill_name: "deploy", script: "scripts/deploy.sh", args: [mark] };
  await models.add(callsThenDone([{ name: "run_skill_script", arguments: input }], "outcome_unknown"));
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "deploy", state: "pinned" });
  const turn = await go(first.client);
  await until(first.client, turn, "tool_progress", ({ note }) => note === "deploying");
  expect(await processesWith(mark)).not.toEqual([]);
  await first.kill();
  await expect.poll(() => processesWith(mark), { timeout: 5_000 }).toEqual([]);

  const { client } = await home.start();
  expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "done" });
  const events = await stored(client, turn);
  expectWholeTurn(events);
  expect(eventsOf(events, "tool_finished")).toMatchObject([
    { tool: "run_skill_script", status: "error", output: { code: "outcome_unknown" } },
  ]);
  expect(gate.requests.at(-1)?.body).toContain("was not run again");
  expect(await processesWith(mark)).toEqual([]);
});

/** Ids of the processes that have this in their command line. */
async function processesWith(mark: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_id, index) => lines[index]?.includes(mark));
}

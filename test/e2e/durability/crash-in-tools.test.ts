import { readdir, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { ApiClient } from "../../../src/client/api-client.ts";
import type { ModelFixture } from "../../support/models/model-server.ts";
import type { GateRequest } from "../support/gate.ts";
import { stores } from "../support/stores.ts";
import { ended, eventsOf, expectWholeTurn, stored, until } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const places = ["web-scraping", "invoke_skill", "finished", "parallel"] as const;
type Place = (typeof places)[number] | "script";
const namespaceOf = (place: Place) => `console:local:${place}`;

/** A model that calls these tools for “go to PLACE”, and then says “done” if a result of theirs has the text. */
function callsThenDone(
  place: Place,
  calls: { name: string; arguments: unknown }[],
  result: string,
): ModelFixture[] {
  const toolCalls = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
  return [
    { match: { userMessage: `go to ${place}`, hasToolResult: false }, response: { toolCalls } },
    { match: { toolResultContains: result }, response: { content: "done" } },
  ];
}

const visits =
  (...paths: string[]) =>
  (request: GateRequest) =>
    paths.includes(request.path);
const afterFinished = ({ body }: GateRequest) =>
  /go to finished/.test(body) && body.includes('"role":"tool"');

describe.each(stores)("a bot on $name that was killed while tools ran in several channels", (store) => {
  const bot = useBot({ shared: true, store });
  const turns: Partial<Record<Place, string>> = {};
  let client: ApiClient;

  beforeAll(async () => {
    const { home, models, pages, gate } = bot();
    const read = (path: string) => ({ name: "web-scraping", arguments: { url: pages.url + path } });
    const run = { skill_id: "web-scraping", params: read("/run").arguments };
    await models.add([
      ...callsThenDone("web-scraping", [read("/read")], "the page called /read"),
      ...callsThenDone("invoke_skill", [{ name: "invoke_skill", arguments: run }], "the page called /run"),
      ...callsThenDone("finished", [read("/once")], "the page called /once"),
      ...callsThenDone("parallel", [read("/quick"), read("/slow")], "the page called /slow"),
    ]);
    const slow = ["/read", "/run", "/slow"];
    pages.close(visits(...slow));
    gate.close(afterFinished);
    const first = await home.start();
    const turnOf = async (place: Place) => {
      const ns = namespaceOf(place);
      await first.client.call("skill.set", { ns, id: "web-scraping", state: "pinned" });
      const message = { namespace: ns, thread: "t1", text: `go to ${place}` };
      const { turn_id } = await first.client.submitTurn(message);
      turns[place] = turn_id;
    };
    await Promise.all(places.map(turnOf));
    await until(first.client, turns.parallel ?? "", "tool_finished");
    await Promise.all([
      ...slow.map((path) => pages.reached(1, visits(path))),
      gate.reached(1, afterFinished),
    ]);
    await first.kill();
    pages.open();
    gate.open();
    ({ client } = await home.start());
  });

  /** The calls of a turn that ended well. */
  async function callsOf(place: Place) {
    const turn = turns[place] ?? "";
    expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "done" });
    const events = await stored(client, turn);
    expectWholeTurn(events);
    return eventsOf(events, "tool_finished");
  }
  const visitsOf = (path: string) => bot().pages.requests.filter(visits(path)).length;
  const requestsOf = (place: Place) =>
    bot().gate.requests.filter(({ body }) => body.includes(`go to ${place}`));

  it.each([
    ["web-scraping", "/read"],
    ["invoke_skill", "/run"],
  ] as const)("a killed call of %s, which only reads, runs again", async (place, path) => {
    expect((await callsOf(place)).map(({ status }) => status)).not.toContain("error");
    expect(visitsOf(path)).toBe(2);
    expect(requestsOf(place)).toHaveLength(2);
  });

  it("a finished tool does not run again when the bot was killed before the model's next answer", async () => {
    await callsOf("finished");
    expect(visitsOf("/once")).toBe(1);
  });

  it("a kill during two parallel calls repeats only the one that had not finished", async () => {
    expect(await callsOf("parallel")).toHaveLength(2);
    expect(visitsOf("/quick")).toBe(1);
    expect(visitsOf("/slow")).toBe(2);
  });
});

describe("a bot that was killed while a script ran", () => {
  const bot = useBot();

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
    await models.add(
      callsThenDone("script", [{ name: "run_skill_script", arguments: input }], "outcome_unknown"),
    );
    const first = await home.start();
    const namespace = namespaceOf("script");
    await first.client.call("skill.set", { ns: namespace, id: "deploy", state: "pinned" });
    const { turn_id: turn } = await first.client.submitTurn({
      namespace,
      thread: "t1",
      text: "go to script",
    });
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
});

/** Ids of the processes that have this in their command line. */
async function processesWith(mark: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_id, index) => lines[index]?.includes(mark));
}

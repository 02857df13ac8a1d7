import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { ids } from "../../support/discord/example-world.ts";
import { type Gate, startGate } from "../support/gate.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";
import { eventsOf, stored } from "../support/turns.ts";

const bot = usePlatformBot({ env: { KNACK_OPERATORS: `U0ANNA,${ids.mia}` } });
const names = ["slack", "discord"] as const;
let pages: Gate;

beforeAll(async () => {
  pages = await startGate(({ path }, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>${path}</title><main><p>This is the page called ${path}.</p></main>`);
  });
  await bot().home.write(
    ".knack-workspace/skills/deploy/SKILL.md",
    "---\nname: deploy\ndescription: Deploys the site. Use to deploy.\nmetadata:\n  risk: high\n---\nRun scripts/deploy.sh.\n",
  );
  await bot().home.write(".knack-workspace/skills/deploy/scripts/deploy.sh", 'echo "deployed $1"\n');
  await bot().start();
});

afterAll(() => pages[Symbol.asyncDispose]());

describe.each(names)("skills on %s", (name) => {
  it("skills are enabled by managers, and a member is refused without anybody else seeing it", async () => {
    const { surfaces, bot: process } = bot();
    const surface = surfaces[name];
    const state = async () => {
      const { skills } = await process().client.call("skill.list", { namespace: surface.namespace });
      return skills.find(({ id }) => id === "text-analyzer")?.state;
    };
    const before = await state();

    await surface.enable("text-analyzer", "member");
    await expect.poll(() => surface.whispers("member"), { timeout: 10_000 }).not.toEqual([]);
    expect((await surface.whispers("member")).at(-1)).toMatch(/manager/i);
    expect(await surface.whispers("other")).toEqual([]);
    expect(await state()).toBe(before);
    await surface.enable("text-analyzer", "manager");

    await expect.poll(state, { timeout: 10_000 }).toBe("pinned");
  });

  it("skills of a direct message stay there, with what was said there", async () => {
    const { surfaces, model, bot: process } = bot();
    const surface = surfaces[name];
    await surface.enable("memory", "other", "direct");
    const state = async (namespace: string) => {
      const { skills } = await process().client.call("skill.list", { namespace });
      return skills.find(({ id }) => id === "memory")?.state;
    };
    await expect.poll(() => state(surface.directNamespace("other")), { timeout: 10_000 }).toBe("pinned");

    await surface.askDirectly(`question secret${name}`, `Reply to question secret${name}.`, "other");
    const thread = await surface.ask(`question open${name}`, { who: "other" });
    await surface.shown(thread, 1);
    await surface.askDirectly(`question mine${name}`, `Reply to question mine${name}.`, "member");

    expect(await state(surface.namespace)).not.toBe("pinned");
    expect(await state(surface.directNamespace("member"))).not.toBe("pinned");
    for (const text of [`open${name}`, `mine${name}`]) {
      const [asked] = model.askedOf(`question ${text}`);
      expect(asked?.body).not.toContain(`secret${name}`);
      expect(toolNames(asked?.body)).not.toContain("memory");
    }
    expect(toolNames(model.askedOf(`question secret${name}`)[0]?.body).join(" ")).toContain("memory");
  });

  it("risky skills run only after an authorised person approved, with the very arguments that were shown", async () => {
    const { surfaces, model, bot: process } = bot();
    const surface = surfaces[name];
    const { client } = process();
    await client.call("skill.set", { ns: surface.namespace, id: "deploy", state: "pinned" });
    const input = { skill_name: "deploy", script: "scripts/deploy.sh", args: [`site-${name}`] };
    model.when(`ship ${name}`, ({ results }) =>
      results.length === 0
        ? [{ call: "run_skill_script", with: input }]
        : [results.join().includes(`deployed site-${name}`) ? "Shipped." : `Not shipped: ${results.join()}`],
    );
    const thread = await surface.ask(`ship ${name}`);
    const [card] = await surface.shown(thread, 1);
    expect(card).toContain(`site-${name}`);

    await surface.press(thread, "Approve once");
    await surface.whispered("member", "operator");
    const [only] = (await client.call("thread.show", { ns: surface.namespace, thread })).turns;
    const turn = only?.turn.turn_id ?? "";
    expect(eventsOf(await stored(client, turn), "approval_decided")).toEqual([]);
    await surface.press(thread, "Approve once", "manager");

    await surface.shows(thread, "Shipped.");
    await finished(bot(), surface, thread);
    const shown = await surface.shown(thread);
    expect(shown.filter((text) => text.includes("Shipped."))).toHaveLength(1);
    expect(eventsOf(await stored(client, turn), "approval_decided")).toMatchObject([{ approved: true }]);
  });

  it("skills that had finished before a crash are not run again, and the answer is in the same thread", async () => {
    const { surfaces, model, crash, bot: process } = bot();
    const surface = surfaces[name];
    await process().client.call("skill.set", { ns: surface.namespace, id: "web-scraping", state: "pinned" });
    const [once, slow] = [`/once-${name}`, `/slow-${name}`];
    const visits = (path: string) => pages.requests.filter((request) => request.path === path);
    model.when(`read ${name}`, ({ results }) => {
      const path = [once, slow][results.length];
      return [path === undefined ? "Read both." : { call: "web-scraping", with: { url: pages.url + path } }];
    });
    pages.close(({ path }) => path === slow);
    const thread = await surface.ask(`read ${name}: ${pages.url}${once} and ${pages.url}${slow}`);
    await pages.reached(1, ({ path }) => path === slow);

    await crash();
    pages.open();

    await surface.shows(thread, "Read both.");
    await finished(bot(), surface, thread);
    expect((await surface.shown(thread)).filter((text) => text.includes("Read both."))).toHaveLength(1);
    expect(visits(once)).toHaveLength(1);
    expect(visits(slow)).toHaveLength(2);
  });
});

it("the bot asks nothing of Slack that it refuses when using skills", async () => {
  await expectCleanSlack(bot());
});

/** Names of the tools that a request to the model offers. */
function toolNames(body = "{}"): string[] {
  const { tools = [] } = JSON.parse(body) as { tools?: { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
}

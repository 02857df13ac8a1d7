import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { type Gate, startGate } from "../support/gate.ts";
import { expectCleanSlack, finished, refusedAfterKill } from "../support/platform-turns.ts";

const bot = usePlatformBot();
const names = ["slack", "discord"] as const;
let pages: Gate;

beforeAll(async () => {
  pages = await startGate(({ path }, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>${path}</title><main><p>This is the page called ${path}.</p></main>`);
  });
  await bot().start();
});

afterAll(() => pages[Symbol.asyncDispose]());

describe.each(names)("skills on %s", (name) => {
  it("skills of a direct message stay there, with what was said there", async () => {
    const { surfaces, model, bot: process } = bot();
    const surface = surfaces[name];
    await surface.enableDirectly("memory", "other");
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
});

it("skills that had finished before a crash are not run again, and the answer is in the same thread", async () => {
  const { surfaces, model, crash, bot: process } = bot();
  const paths = (name: string) => ({ once: `/once-${name}`, slow: `/slow-${name}` });
  const visits = (path: string) => pages.requests.filter((request) => request.path === path);
  pages.close(({ path }) => path.startsWith("/slow"));
  const begun = names.map(async (name) => {
    const surface = surfaces[name];
    const { once, slow } = paths(name);
    await process().client.call("skill.set", { ns: surface.namespace, id: "web-scraping", state: "pinned" });
    model.when(`read ${name}`, ({ results }) => {
      const path = [once, slow][results.length];
      return [path === undefined ? "Read both." : { call: "web-scraping", with: { url: pages.url + path } }];
    });
    const thread = await surface.ask(`read ${name}: ${pages.url}${once} and ${pages.url}${slow}`);
    await pages.reached(1, ({ path }) => path === slow);
    return { surface, thread };
  });
  const reading = await Promise.all(begun);

  await crash();
  pages.open();

  for (const { surface, thread } of reading) {
    const { once, slow } = paths(surface.name);
    await surface.shows(thread, "Read both.");
    await finished(bot(), surface, thread);
    expect((await surface.shown(thread)).filter((text) => text.includes("Read both."))).toHaveLength(1);
    expect(visits(once)).toHaveLength(1);
    expect(visits(slow)).toHaveLength(2);
  }
});

it("the bot asks nothing of Slack that it refuses when using skills", async () => {
  await expectCleanSlack(bot(), ...refusedAfterKill);
});

/** Names of the tools that a request to the model offers. */
function toolNames(body = "{}"): string[] {
  const { tools = [] } = JSON.parse(body) as { tools?: { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
}

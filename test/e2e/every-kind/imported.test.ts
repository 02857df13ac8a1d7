import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importedSkills, place, useEveryKind } from "../support/every-kind-bot.ts";
import { eventsOf } from "../support/turns.ts";

const kinds = useEveryKind();

const flow = (url: string) => ({
  name: "Lookup",
  description: "Looks something up.",
  active: true,
  steps: [
    { type: "start", config: { variables: [{ name: "word", value: "" }] } },
    { type: "apiCall", config: { url: `${url}/lookup?q=\${word}`, method: "GET", responseVariable: "got" } },
  ],
});

it("the bot sees AnythingLLM's skills and flows copied in at run time, changed and removed, and says what is broken", async () => {
  const { home, site, siteHost, model, copy, say, offered } = kinds();
  const bot = await home.start();
  const { client } = bot;
  expect((await say(bot, "before", [])).text).toContain("done");

  await copy(importedSkills, "skills/agent-skills");
  await home.write(".knack-workspace/skills/agent-skills/torn/plugin.json", '{ "hubId": "torn", "name": ');
  await home.write(".knack-workspace/skills/agent-skills/torn/handler.js", "module.exports = {};");
  await home.write(".knack-workspace/flows/0f0e.json", JSON.stringify(flow(site.url)));
  const settled = { API_URL: site.url };
  const plugin = ".knack-workspace/skills/agent-skills/open-meteo-weather/plugin.json";
  await home.write(plugin, await withArguments("open-meteo-weather", settled));

  // The very next message knows them all, without a look at the list in between.
  await client.call("skill.grant", { id: "open-meteo-weather", hosts: [siteHost] });
  const weather = { latitude: "35.68", longitude: "139.69" };
  const first = await say(bot, "weather in Tokyo", [
    { call: "activate_skill", with: { skill_name: "open-meteo-weather" } },
    { call: "open-meteo-weather", with: weather },
  ]);
  expect(model.askedOf("weather in Tokyo")[0]?.body).toMatch(
    /open-meteo-weather[\s\S]*page-digest[\s\S]*send-note/,
  );
  expect(first.text).toContain("21 °C");
  expect(site.requests.map(({ path }) => path)).toEqual([
    "/v1/forecast?latitude=35.68&longitude=139.69&current_weather=true",
  ]);

  const digest = await say(bot, "digest the page", [
    { call: "activate_skill", with: { skill_name: "page-digest" } },
    { call: "page-digest", with: { url: `${site.url}/page` } },
  ]);
  expect(digest.text).toContain('"greeting":"Hello"');
  expect(site.requests.at(-1)?.path).toBe("/page");

  const { skills, diagnostics } = await client.call("skill.list", { namespace: place.namespace });
  const ids = skills.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["open-meteo-weather", "page-digest", "send-note"]));
  const torn = [
    ...skills.filter(({ id }) => id === "torn").flatMap(({ reasons }) => reasons),
    ...diagnostics.filter(({ path }) => path.includes("torn")).map(({ message }) => message),
  ];
  expect(torn.join(" ")).toMatch(/plugin\.json|JSON/);

  const { flows } = await client.call("flow.list", { namespace: place.namespace });
  const id = flows.find(({ name }) => name === "Lookup")?.id ?? "";
  const looked = await say(bot, "look up tea", [
    { call: "activate_skill", with: { skill_name: id } },
    { call: id, with: { word: "green tea & more" } },
  ]);
  expect(looked.text).toContain("done");
  expect(site.requests.at(-1)?.path).toBe("/lookup?q=green%20tea%20%26%20more");
  expect(eventsOf(looked.events, "tool_finished").map(({ status }) => status)).toEqual(["ok", "ok"]);

  // A changed handler counts for the next message, although a process of the old one is kept warm.
  await home.write(
    ".knack-workspace/skills/agent-skills/open-meteo-weather/handler.js",
    'module.exports.runtime = { handler: async function () { return "It always rains."; } };',
  );
  const changed = await say(bot, "weather again", [{ call: "open-meteo-weather", with: weather }]);
  expect(changed.text).toContain("It always rains.");

  await rm(join(home.folder, ".knack-workspace/skills/agent-skills/open-meteo-weather"), { recursive: true });
  const gone = await say(bot, "weather a third time", [{ call: "open-meteo-weather", with: weather }]);
  expect(gone.text).not.toContain("rains");
  expect(eventsOf(gone.events, "tool_finished")).toMatchObject([{ status: "error" }]);
  expect(offered("weather again")).toContain("open-meteo-weather");
  // The list of tools stays for servers of this protocol; the model is told what is gone.
  const told = model.askedOf("weather a third time").at(-1)?.body;
  expect(told).toMatch(/Tools that are gone, do not call them:[^"]*open-meteo-weather/);
  expect(await bot.terminate()).toBe(0);
});

/** A fixture's plugin.json with these values set, as its settings page writes them. */
async function withArguments(id: string, values: Record<string, string>): Promise<string> {
  const plugin = JSON.parse(await readFile(join(importedSkills, id, "plugin.json"), "utf8"));
  for (const [name, value] of Object.entries(values)) plugin.setup_args[name].value = value;
  return JSON.stringify(plugin);
}

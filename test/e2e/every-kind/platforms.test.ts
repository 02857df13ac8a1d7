import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { ids } from "../../support/discord/example-world.ts";
import { startOAuthServer } from "../../unit/mcp-login/oauth-server.ts";
import { importedSkills } from "../support/every-kind-bot.ts";
import { type Gate, startGate } from "../support/gate.ts";
import { finished } from "../support/platform-turns.ts";

const bot = usePlatformBot({
  config: "chat: { progress_delay_seconds: 0 }",
  env: { KNACK_OPERATORS: `U0ANNA,${ids.mia}`, KNACK_NET_ALLOW: "127.0.0.1,127.0.0.2" },
});
let site: Gate;

const plugin = (id: string) =>
  JSON.stringify({
    ...{ hubId: id, name: id, description: `Does ${id}.`, active: true, schema: "skill-1.0.0" },
    ...{ version: "1.0.0", entrypoint: { file: "handler.js", params: {} }, imported: true },
  });
const handler = (url: string) =>
  `module.exports.runtime = { async handler() {
    this.introspect("Looking at the sky");
    return (await fetch("${url}/sky")).text();
  } };`;

beforeAll(async () => {
  const { home, start } = bot();
  site = await startGate(({ path }, response) => void response.end(`clear at ${path}`), "127.0.0.2");
  await cp(importedSkills, join(home.folder, ".knack-workspace/skills"), { recursive: true });
  for (const name of ["slack", "discord"]) {
    await home.write(`.knack-workspace/skills/sky-${name}/plugin.json`, plugin(`sky-${name}`));
    await home.write(`.knack-workspace/skills/sky-${name}/handler.js`, handler(site.url));
  }
  await start();
});
afterAll(() => site[Symbol.asyncDispose]());

describe.each(["slack", "discord"] as const)("on %s", (name) => {
  it("a skill reaches a host once an operator allows it by a button, and its notes are shown while it works", async () => {
    const { surfaces, model, bot: process } = bot();
    const surface = surfaces[name];
    const skill = `sky-${name}`;
    await process().client.call("skill.set", { ns: surface.namespace, id: skill, state: "pinned" });
    model.when(`sky ${name}`, ({ results }) => [results.at(-1) ?? { call: skill, with: {} }]);
    site.close();
    const thread = await surface.ask(`sky ${name}`);
    await surface.shows(thread, new URL(site.url).host);
    await surface.press(thread, "Approve");
    await surface.whispered("member", "operator");
    expect(site.requests).toEqual([]);

    await surface.press(thread, "Approve", "manager");
    await site.reached(1);
    await surface.shows(thread, "Looking at the sky");
    site.open();
    await surface.shows(thread, "clear at /sky");
    await finished(bot(), surface, thread);
    (site.requests as unknown[]).length = 0;
  });

  it("a handler asks for approval by buttons, and continues with the decision", async () => {
    const { surfaces, model, bot: process } = bot();
    const surface = surfaces[name];
    await process().client.call("skill.set", { ns: surface.namespace, id: "send-note", state: "pinned" });
    const call = { call: "send-note", with: { to: "Ben", text: `from ${name}` } };
    model.when(`note ${name}`, ({ results }) => [results.at(-1) ?? call]);
    const thread = await surface.ask(`note ${name}`);
    await surface.shows(thread, "Send this note to Ben?");
    await surface.press(thread, "Approve", "manager");
    await surface.shows(thread, `Sent to Ben, draft 1: from ${name}`);
    await finished(bot(), surface, thread);
  });

  it("installing is refused to a person who is not an operator, and nobody else sees that", async () => {
    const { slack, discord, surfaces, bot: process } = bot();
    const surface = surfaces[name];
    const url = `${site.url}/moon.zip`;
    if (name === "slack") {
      const said = { command: "/skill", text: `install ${url}` };
      await slack.command({ user: "U0BEN", channel: "C0GENERAL", ...said });
    } else {
      const said = { name: "skill", subcommand: "install", options: { address: url } };
      await discord.command({ user: ids.adam, channel: ids.general, ...said });
    }
    await surface.whispered("member", "Only operators");
    expect((await surface.whispers("other")).join()).not.toContain("Only operators");
    expect(site.requests).toEqual([]);
    expect(await process().client.call("package.list", {})).toEqual({ packages: [] });
  });

  it("the link to connect an account is only for its asker", async () => {
    const { slack, discord, surfaces, home } = bot();
    const surface = surfaces[name];
    const oauth = await startOAuthServer();
    const server = { type: "http", url: oauth.url, knack: { credentials: "per_user" } };
    await home.write("config/mcp.json", JSON.stringify({ mcpServers: { vault: server } }));
    if (name === "slack") {
      const said = { command: "/mcp", text: "login vault" };
      await slack.command({ user: "U0BEN", channel: "C0GENERAL", ...said });
    } else {
      const said = { name: "mcp", subcommand: "login", options: { server: "vault" } };
      await discord.command({ user: ids.adam, channel: ids.general, ...said });
    }
    const path = `${oauth.origin}/authorize`;
    await surface.whispered("member", path);
    for (const somebody of ["other", "manager"] as const)
      expect((await surface.whispers(somebody)).join()).not.toContain(path);
    const link = (await surface.whispers("member")).join(" ").match(/http[^\s)>|]*authorize[^\s)>|]*/)?.[0];
    const back = await fetch((link ?? "").replaceAll("&amp;", "&"));
    const page = await back.text();
    expect(page).toMatch(/Connect vault for .+ \((Slack|Discord)\)\?/);
    const fields = new URLSearchParams();
    for (const [, key = "", value = ""] of page.matchAll(/name="([^"]+)" value="([^"]*)"/g))
      fields.set(key, value);
    const done = await fetch(back.url.split("?")[0] ?? "", {
      method: "POST",
      headers: { origin: new URL(back.url).origin },
      body: fields,
    });
    expect(await done.text()).toContain("Connected");
  });
});

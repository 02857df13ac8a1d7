import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BotHome } from "../../support/bot/bot-process.ts";
import { type DiscordServer, startDiscordServer } from "../../support/discord/discord-server.ts";
import { exampleToken, exampleWorld, ids } from "../../support/discord/example-world.ts";
import { ordinaryPermissions } from "../../support/discord/world/permission-bits.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";
import { allScopes } from "../../support/slack/world/seed.ts";
import { runKnack } from "../../unit/cli/run-knack.ts";
import { useHome } from "../support/use-home.ts";

const bot = useHome({ env: () => ({}) });
let home: BotHome;
beforeAll(() => {
  home = bot();
});

const withoutFiles = ordinaryPermissions.filter((name) => name !== "AttachFiles");

/** Nothing listens there. */
const deadUrl = "http://127.0.0.1:9/api/";

async function connect(platform: string, env: Record<string, string>) {
  const run = runKnack(["connect", platform, "--json"], { cwd: home.folder, env });
  const code = await run.code;
  expect(run.err.text()).toBe("");
  const { ok, steps, checks } = JSON.parse(run.out.text()) as {
    ok: boolean;
    steps: string[];
    checks: { name: string; status: string; detail: string; advice?: string }[];
  };
  return {
    code,
    ok,
    steps: steps.join("\n"),
    check: (name: string) => checks.find((one) => one.name === name),
  };
}

describe("knack connect slack", () => {
  let slack: SlackServer;
  let tokens: Record<string, string>;
  beforeAll(async () => {
    slack = await startSlackServer();
    const [workspace] = slack.seed.workspaces;
    tokens = {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: workspace?.bot_token ?? "",
      SLACK_APP_TOKEN: slack.seed.app.app_token,
    };
  });
  afterAll(() => slack.close());

  it("`knack connect slack` leads through every step when nothing is set", async () => {
    const { code, ok, steps } = await connect("slack", {});
    expect([code, ok]).toEqual([1, false]);
    for (const words of ["manifest_json=", "SLACK_APP_TOKEN", "SLACK_BOT_TOKEN", "/invite"])
      expect(steps).toContain(words);
  });

  it("`knack connect slack` says whose tokens they are, and that all is well", async () => {
    const { code, check } = await connect("slack", tokens);
    expect(code).toBe(0);
    expect(check("slack bot token")?.detail).toContain(slack.seed.workspaces[0]?.name);
    expect(check("slack scopes")?.status).toBe("ok");
    expect(check("slack app token")?.status).toBe("ok");
  });

  it("`knack connect slack` asks a person for the tokens, and shows them to nobody", async () => {
    const env = { SLACK_API_URL: slack.apiUrl };
    const { code, stdin, out, err } = runKnack(["connect", "slack"], { cwd: home.folder, env, typing: true });
    await err.shows("App token");
    stdin.write(`${tokens.SLACK_APP_TOKEN}\r`);
    await err.shows("Bot token");
    stdin.write(`${tokens.SLACK_BOT_TOKEN}\r`);
    expect(await code).toBe(0);
    expect(out.text()).toContain("set SLACK_APP_TOKEN and SLACK_BOT_TOKEN");
    for (const name of ["SLACK_APP_TOKEN", "SLACK_BOT_TOKEN"])
      expect(out.text() + err.text()).not.toContain(tokens[name]);
  });

  it("`knack connect slack` stops asking at Ctrl-C", async () => {
    const { code, stdin, err } = runKnack(["connect", "slack"], { cwd: home.folder, typing: true });
    await err.shows("App token");
    stdin.write("xapp-half\u0003");
    expect(await code).toBe(130);
    expect(err.text()).not.toContain("Bot token");
  });

  it("`knack connect slack` names a wrong token and where the right one is", async () => {
    const { code, check } = await connect("slack", { ...tokens, SLACK_BOT_TOKEN: "xoxb-wrong" });
    expect(code).toBe(1);
    expect(check("slack bot token")).toMatchObject({ status: "error" });
    expect(check("slack bot token")?.advice).toContain("OAuth & Permissions");
  });

  it("`knack connect slack` says that Slack cannot be reached instead of waiting", async () => {
    const { code, check } = await connect("slack", { ...tokens, SLACK_API_URL: deadUrl });
    expect(code).toBe(1);
    expect(check("slack bot token")?.advice).toContain("SLACK_API_URL");
  });

  it("`knack connect slack` names each missing scope with what stops working", async () => {
    const [workspace, ...others] = slack.seed.workspaces;
    if (workspace === undefined) throw new Error("no workspace");
    const bot_scopes = allScopes.filter((scope) => scope !== "files:write");
    const poor = await startSlackServer({ seed: { workspaces: [{ ...workspace, bot_scopes }, ...others] } });
    try {
      const { code, check } = await connect("slack", { ...tokens, SLACK_API_URL: poor.apiUrl });
      expect(code).toBe(1);
      expect(check("slack scopes")?.detail).toContain("files:write (without it it cannot answer with files)");
    } finally {
      await poor.close();
    }
  });

  it("`knack connect slack` shows the addresses of an app that Slack calls", async () => {
    const { steps } = await connect("slack", {
      KNACK_PUBLIC_URL: "https://knack.example.com",
      SLACK_SIGNING_SECRET: "s",
    });
    expect(steps).toContain("https://knack.example.com/slack/events");
  });
});

describe("knack connect discord", () => {
  let discord: DiscordServer;
  beforeAll(async () => {
    discord = await startDiscordServer(exampleWorld());
  });
  afterAll(() => discord.close());

  it("`knack connect discord` names the bot, its servers and the invitation with the least permissions", async () => {
    const { code, check } = await connect("discord", {
      DISCORD_TOKEN: exampleToken,
      DISCORD_API_URL: discord.apiUrl,
    });
    expect(code).toBe(0);
    expect(check("discord token")?.detail).toContain("Knack");
    expect(check("discord servers")?.detail).toContain("Example");
    const link = /https:\S+/.exec(check("discord invitation")?.detail ?? "")?.[0] ?? "";
    const query = new URL(link).searchParams;
    expect(query.get("client_id")).toBe(ids.bot);
    // Manage Channels, Administrator and the like are not asked for.
    expect(BigInt(query.get("permissions") ?? 0) & 0x18n).toBe(0n);
    expect(query.get("scope")).toBe("bot applications.commands");
  });

  it("`knack connect discord` explains what is lost without message content", async () => {
    const world = exampleWorld();
    const plain = await startDiscordServer({
      ...world,
      application: { ...world.application, privileged: [] },
    });
    try {
      const { code, check } = await connect("discord", {
        DISCORD_TOKEN: exampleToken,
        DISCORD_API_URL: plain.apiUrl,
      });
      expect(code).toBe(0);
      expect(check("discord intents")).toMatchObject({ status: "warning" });
    } finally {
      await plain.close();
    }
  });

  it("`knack connect discord` names what the bot may not do in a server, and what stops working", async () => {
    const world = exampleWorld();
    const poor = await startDiscordServer({
      ...world,
      guilds: world.guilds.map((guild) => ({ ...guild, everyone: withoutFiles })),
    });
    try {
      const env = { DISCORD_TOKEN: exampleToken, DISCORD_API_URL: poor.apiUrl };
      const { check } = await connect("discord", env);
      expect(check("discord permissions")?.detail).toContain("Attach Files (needed for sending files)");
    } finally {
      await poor.close();
    }
  });

  it("`knack connect discord` says that a token is wrong, and where to get the right one", async () => {
    const { code, check } = await connect("discord", {
      DISCORD_TOKEN: "MTAwMDAwMDAwMDAwMDAwMDAwMQ.wrong.token",
      DISCORD_API_URL: discord.apiUrl,
    });
    expect(code).toBe(1);
    expect(check("discord token")?.advice).toContain("Reset and copy the token");
  });

  it("`knack connect discord` says what to put right when Discord cannot be reached, and how doctor asks it", async () => {
    const env = { DISCORD_TOKEN: exampleToken, DISCORD_API_URL: deadUrl };
    const { code, stdout } = await home.run(["connect", "discord"], { env });
    expect(code).toBe(1);
    expect(stdout).toContain("✖ discord token: Discord cannot be reached");
    expect(stdout).toContain("Correct what is marked ✖, then run this again.");
    expect((await home.run(["doctor"], { env })).stdout).toContain("`knack doctor --live` asks Discord");
  });
});

describe("knack start", () => {
  it("`knack start` refuses half of what Slack needs and says what is missing", async () => {
    const { code, stderr } = await home.run(["start", "--port", "0"], { env: { SLACK_BOT_TOKEN: "xoxb-1" } });
    expect(code).toBe(1);
    expect(stderr).toContain("slack.app_token");
    expect(stderr).toContain("knack connect slack");
  });
});

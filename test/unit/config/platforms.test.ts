import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../../src/config/config-error.ts";
import { describeConfig } from "../../../src/config/config-keys.ts";
import {
  incompletePlatforms,
  slackMode,
  unprotectedServer,
} from "../../../src/config/incomplete-platforms.ts";
import { loadConfig } from "../../../src/config/load-config.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-config-"));
});
afterEach(() => rm(cwd, { recursive: true }));

async function load(env: Record<string, string>, yaml = "") {
  await writeFile(path.join(cwd, "own.yaml"), yaml);
  return loadConfig({ file: "own.yaml", env, cwd });
}

async function problemsOf(env: Record<string, string>, yaml = "") {
  const error = await load(env, yaml).then(
    () => expect.fail("the configuration was accepted"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw error;
  return error.problems;
}

const socket = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" };
const oauth = { SLACK_CLIENT_ID: "1.2", SLACK_CLIENT_SECRET: "s", SLACK_SIGNING_SECRET: "t" };

describe("how Slack is reached", () => {
  it.each([
    ["over a socket with an app token", socket, "socket"],
    ["over HTTP with a signing secret", { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s" }, "http"],
    ["by any workspace with a client", { ...oauth, KNACK_PUBLIC_URL: "https://k.example" }, "installations"],
    ["not at all without tokens", {}, undefined],
  ])("Slack is reached %s", async (_name, env, mode) => {
    const { config } = await load(env);
    expect(slackMode(config)).toBe(mode);
    expect(incompletePlatforms(config)).toEqual([]);
  });

  it.each([
    [{ SLACK_BOT_TOKEN: "xoxb-1" }, "slack.app_token"],
    [{ SLACK_APP_TOKEN: "xapp-1" }, "slack.bot_token"],
    [{ SLACK_SIGNING_SECRET: "s" }, "slack.bot_token"],
    [oauth, "server.public_url"],
    [{ SLACK_CLIENT_ID: "1.2", KNACK_PUBLIC_URL: "https://k.example" }, "slack.client_secret"],
  ])("Slack settings say what is missing next to %j", async (env, key) => {
    const { config } = await load(env);
    const problems = incompletePlatforms(config);
    expect(problems.map((problem) => problem.key)).toContain(key);
    expect(problems[0]?.hint).toContain("knack connect slack");
  });
});

describe("tokens", () => {
  it.each([
    [{ SLACK_BOT_TOKEN: "xapp-1" }, "slack.bot_token", "xoxb-"],
    [{ SLACK_APP_TOKEN: "xoxb-1" }, "slack.app_token", "xapp-"],
    [{ DISCORD_TOKEN: "Bot MTIzNDU2Nzg5MDEyMzQ1Njc4.x.y" }, "discord.token", "token alone"],
  ])("tokens of the wrong kind are refused with where the right one is", async (env, key, words) => {
    const [problem] = await problemsOf(env);
    expect(problem).toMatchObject({ key, where: `environment ${Object.keys(env)[0]}` });
    expect(problem?.message).toContain(words);
  });

  it("tokens are never shown", async () => {
    const env = {
      ...socket,
      ...oauth,
      KNACK_PUBLIC_URL: "https://k.example",
      KNACK_SECRET_KEY: "0123456789abcdef",
    };
    const { config, sources } = await load(env);
    const shown = JSON.stringify(describeConfig(config, sources));
    for (const secret of ["xoxb-1", "xapp-1", "0123456789abcdef"]) expect(shown).not.toContain(secret);
  });
});

describe("settings without effect", () => {
  it.each([
    ['access: {users: ["*", U1]}', "access.users.1"],
    ["access: {roles: [R1]}", "access.roles"],
    ["slack: {bot_token: xoxb-1, app_token: xapp-1, signing_secret: s}", "slack.signing_secret"],
  ])("the setting %s is an error because it has no effect", async (yaml, key) => {
    expect((await problemsOf({}, yaml)).map((problem) => problem.key)).toEqual([key]);
  });

  it("roles are let in next to listed people", async () => {
    const { config } = await load({}, "access: {users: [U1], roles: [R1]}");
    expect(config.access).toMatchObject({ users: ["U1"], roles: ["R1"] });
  });
});

describe("a server that others reach", () => {
  it.each([
    [{ KNACK_PUBLIC_URL: "https://k.example" }, ["server.token"]],
    [{ KNACK_PUBLIC_URL: "https://k.example", KNACK_API_TOKEN: "a-secret-of-20-letters" }, []],
    [{ KNACK_PUBLIC_URL: "http://127.0.0.1:3000" }, []],
    [{}, []],
  ])("a server that others reach needs a token: %j [access-1]", async (env, keys) => {
    const { config } = await load(env);
    expect(unprotectedServer(config).map((problem) => problem.key)).toEqual(keys);
  });

  it.each(["x", "secret", "nineteen-characters"])(
    "a server takes no token that can be guessed, and says how to make one: %s",
    async (token) => {
      await expect(load({ KNACK_API_TOKEN: token })).rejects.toThrow(
        /environment KNACK_API_TOKEN: server\.token: expected at least 20 characters, e\.g\. from `openssl rand -hex 32`/,
      );
    },
  );
});

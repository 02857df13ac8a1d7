import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SlackConnection } from "../../../src/platforms/slack/create-slack-connection.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";

/** A server that hands everything to the connection, as ours does. Answers its address. */
async function serving(connection: () => SlackConnection): Promise<string> {
  const server = createServer((request, response) => {
    if (!connection().handle(request, response)) response.writeHead(418).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("over a socket", () => {
  test("a lost socket connection comes back, and what was said in between is answered once", async () => {
    const slack = await fakeSlack({ ackTimeoutMs: 200, retryDelaysMs: [] });
    const store = createMemoryKeyValue();
    const { connection } = await slackBot(slack, scriptedModel(["Here."]), { store });
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> one" });
    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    expect(connection.status()).toMatchObject({ ok: true });

    await slack.refuseConnections({ on: true });
    await slack.dropConnections({ how: "cut" });
    await slack.until((state) => state.all.connections === 0, "the line to be cut");
    const top = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> two" });
    const reply = await slack.say({ user: "U0BEN", channel: general, text: "three", thread_ts: ts });
    await slack.until(
      (state) => state.deliveries("app_mention").every((each) => each.acked || each.given_up),
      "it",
    );
    await slack.refuseConnections({ on: false });

    await slack.until((state) => answers(state, general, top.ts, 1), "an answer to the mention");
    await slack.until((state) => answers(state, general, ts, 2), "an answer in the thread");
    expect(reply.ts > top.ts).toBe(true);
    const state = await slack.look();
    expect(state.botMessages(general)).toHaveLength(3);
  });

  test("a reconnection that Slack requests loses nothing", async () => {
    const slack = await fakeSlack();
    const { connection } = await slackBot(slack, scriptedModel(["Here."]));

    await slack.dropConnections({ how: "asked" });
    await slack.until((state) => state.calls("apps.connections.open").length === 2, "a new line");
    await slack.until((state) => state.all.connections === 1, "one line");
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> one" });

    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    expect(connection.status().ok).toBe(true);
  });

  test("a revoked token is reported with what to do", async () => {
    const slack = await fakeSlack();
    await slack.revoke({ token: slack.seed.workspaces[0]?.bot_token ?? "" });
    const { connection } = await slackBot(slack, scriptedModel(["-"]), { unconnected: true });

    await slack.until((state) => state.calls("auth.test").length > 1, "two tries");

    expect(connection.status()).toMatchObject({ ok: false });
    expect(connection.status().detail).toMatch(/token_revoked.*Install the app again/);
  });

  test("a bot stops at once while Slack cannot be reached", async () => {
    const slack = await fakeSlack();
    await slack.delay({ method: "auth.test", ms: 20_000, times: 9 });
    const bot = await slackBot(slack, scriptedModel(["-"]), { unconnected: true });
    await slack.until((state) => state.calls("auth.test")[0], "a question to Slack");

    await bot.stop();

    expect((await slack.look()).calls("auth.test").map(({ ok }) => ok)).toEqual([false]);
  });

  test("a dead app token is reported with where to make another", async () => {
    const slack = await fakeSlack();
    await slack.revoke({ token: slack.seed.app.app_token, error: "invalid_auth" });
    const { connection } = await slackBot(slack, scriptedModel(["-"]), { unconnected: true });

    await slack.until((state) => state.calls("apps.connections.open").length > 1, "two tries");

    expect(connection.status().detail).toMatch(/app token: invalid_auth.*connections:write/);
  });
});

describe("over HTTP", () => {
  test("signed events over HTTP are answered, and forged and old ones are refused [access-5]", async () => {
    let connection: SlackConnection | undefined;
    const url = await serving(() => connection as SlackConnection);
    const slack = await fakeSlack({ eventsUrl: `${url}/slack/events` });
    const settings = { app_token: undefined, signing_secret: slack.seed.app.signing_secret };
    const bot = await slackBot(slack, scriptedModel(["Over HTTP."]), { settings, unconnected: true });
    connection = bot.connection;
    await expect.poll(() => bot.connection.status().ok).toBe(true);

    expect(await slack.verifyUrl()).toMatchObject({ verified: true });
    const body = { type: "event_callback", team_id: "T0ACME", event: { type: "app_mention" } };
    expect(await slack.forge({ body, signature: "v0=00" })).toMatchObject({ status: 401 });
    expect(await slack.forge({ body, age_seconds: 900 })).toMatchObject({ status: 401 });
    const limited = { type: "app_rate_limited", team_id: "T0ACME", minute_rate_limited: 1_700_000_000 };
    expect(await slack.forge({ body: limited })).toMatchObject({ status: 200 });
    expect(bot.logged.map(({ message }) => message)).toContainEqual(expect.stringMatching(/holds some back/));
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> hello" });
    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    await slack.command({ user: "U0BEN", channel: general, command: "/skill", text: "list" });
    await slack.until((state) => state.ephemerals("U0BEN")[0], "a list");

    expect((await fetch(`${url}/slack/install`)).status).toBe(404);
    expect((await fetch(`${url}/slack/events`)).status).toBe(404);
    expect((await fetch(`${url}/slack/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/api/v1/turns`)).status).toBe(418);
    expect((await slack.look()).deliveries().every(({ attempts }) => attempts.length === 1)).toBe(true);
  });
});

test("a process that only sends answers no requests of Slack, and reports a revoked token with what to do", async () => {
  const slack = await fakeSlack();
  const settings = { app_token: undefined, signing_secret: slack.seed.app.signing_secret };
  const { connection } = await slackBot(slack, scriptedModel(["-"]), { settings, receives: false });
  const url = await serving(() => connection);
  await expect.poll(() => connection.status().ok).toBe(true);
  expect((await fetch(`${url}/slack/events`, { method: "POST", body: "{}" })).status).toBe(404);
  expect((await fetch(`${url}/slack/install`)).status).toBe(404);

  await slack.revoke({ token: slack.seed.workspaces[0]?.bot_token ?? "" });
  const refused = await slackBot(slack, scriptedModel(["-"]), { settings, receives: false });
  await expect.poll(() => refused.connection.status().detail).toMatch(/token_revoked.*Install the app again/);
});

describe("in several workspaces", () => {
  test("each of several workspaces is answered with its own token, and one that removes the app is forgotten", async () => {
    let connection: SlackConnection | undefined;
    const url = await serving(() => connection as SlackConnection);
    const slack = await fakeSlack({ eventsUrl: `${url}/slack/events` });
    const { client_id, client_secret, signing_secret } = slack.seed.app;
    const settings = { bot_token: undefined, app_token: undefined, client_id, client_secret, signing_secret };
    const sealed = createMemoryKeyValue();
    const bot = await slackBot(slack, scriptedModel(["Hello Initech."]), {
      settings: { ...settings, public_url: url },
      store: sealed,
      unconnected: true,
    });
    connection = bot.connection;
    await expect.poll(() => bot.connection.status().ok).toBe(true);

    const { state, cookie, authorize } = await beginInstallation(url);
    const forged = await fetch(`${url}/slack/oauth_redirect?code=x&state=${state}`, { redirect: "manual" });
    expect(forged.status).not.toBe(200);
    const again = await beginInstallation(url);
    expect(again.state).not.toBe(state);
    const granted = await fetch(`${again.authorize}&team=T0INITECH&user=U2DORA`, { redirect: "manual" });
    const back = granted.headers.get("location") ?? "";
    const done = await fetch(back, { headers: { cookie: again.cookie }, redirect: "manual" });
    expect(done.status).toBe(200);
    expect((await fetch(back, { headers: { cookie: again.cookie } })).status).not.toBe(200);
    expect(cookie).not.toBe(again.cookie);
    expect(authorize).toContain("assistant%3Awrite");

    const { ts } = await slack.say({ user: "U2DORA", channel: "C2GENERAL", text: "<@U2KNACK> hello" });
    await slack.until((seen) => answers(seen, "C2GENERAL", ts, 1), "an answer");
    const stranger = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> hello" });
    await slack.until((seen) => seen.deliveries().every((each) => each.acked), "all acknowledged");
    expect((await slack.look()).botMessages(general, stranger.ts)).toEqual([]);
    await slack.uninstall({ team: "T0INITECH" });
    await slack.until((seen) => seen.deliveries("app_uninstalled")[0]?.acked, "it to be known");
    expect(await sealed.get("slack-installation:T0INITECH")).toBeUndefined();
  });
});

test("an organisation installs the app for its workspaces, and each is answered in its own name", async () => {
  let connection: SlackConnection | undefined;
  const url = await serving(() => connection as SlackConnection);
  const slack = await fakeSlack({ eventsUrl: `${url}/slack/events` });
  const { client_id, client_secret, signing_secret } = slack.seed.app;
  const settings = { bot_token: undefined, app_token: undefined, client_id, client_secret, signing_secret };
  const sealed = createMemoryKeyValue();
  const options = { settings: { ...settings, public_url: url }, store: sealed, unconnected: true };
  const first = await slackBot(slack, scriptedModel(["Hello Grid."]), options);
  connection = first.connection;
  await expect.poll(() => first.connection.status().ok).toBe(true);
  const { authorize, cookie } = await beginInstallation(url);
  const granted = await fetch(`${authorize}&team=T0INITECH&enterprise=E0GRID`, { redirect: "manual" });
  await fetch(granted.headers.get("location") ?? "", { headers: { cookie } });
  expect(await sealed.get("slack-installation:E0GRID")).toMatchObject({ isEnterpriseInstall: true });

  const { ts } = await slack.say({ user: "U2DORA", channel: "C2GENERAL", text: "<@U2KNACK> hello" });
  await slack.until((state) => answers(state, "C2GENERAL", ts, 1), "an answer");
  await slack.command({ user: "U2DORA", channel: "C2GENERAL", command: "/skill", text: "list" });
  await slack.until((state) => state.ephemerals("U2DORA")[0], "a list");
  const refused = (await slack.look()).all.calls.filter(({ error }) => error !== undefined);
  expect(refused.map(({ method, error }) => `${method}: ${error}`)).toEqual([]);
  await first.stop();

  // After a restart, the workspace is known before an event says whose it is.
  const second = await slackBot(slack, scriptedModel(["Still here."]), options);
  connection = second.connection;
  await expect.poll(() => second.connection.status().ok).toBe(true);
  const place = { namespace: "slack:T0INITECH:C2GENERAL", thread: ts };
  expect(await second.platform.person(place, "U2DORA")).toMatchObject({ standing: "member" });
  await slack.uninstall({ team: "T0INITECH" });
  await slack.until((seen) => seen.deliveries("app_uninstalled")[0]?.acked, "it to be known");
  expect(await sealed.get("slack-installation:E0GRID")).toBeUndefined();
});

test("a token that expires soon is renewed before it is used, and only once for many at the same time", async () => {
  let connection: SlackConnection | undefined;
  const url = await serving(() => connection as SlackConnection);
  const slack = await fakeSlack({ eventsUrl: `${url}/slack/events` });
  const { client_id, client_secret, signing_secret } = slack.seed.app;
  const sealed = createMemoryKeyValue();
  const settings = { bot_token: undefined, app_token: undefined, client_id, client_secret, signing_secret };
  const options = { settings: { ...settings, public_url: url }, store: sealed, unconnected: true };
  const first = await slackBot(slack, scriptedModel(["-"]), options);
  connection = first.connection;
  await expect.poll(() => first.connection.status().ok).toBe(true);
  const { authorize, cookie } = await beginInstallation(url);
  const granted = await fetch(`${authorize}&team=T0INITECH`, { redirect: "manual" });
  await fetch(granted.headers.get("location") ?? "", { headers: { cookie } });
  await first.stop();

  const key = "slack-installation:T0INITECH";
  const stored = (await sealed.get(key)) as { bot: { token: string; expiresAt: number } };
  const old = stored.bot.token;
  await sealed.set(key, {
    ...stored,
    bot: { ...stored.bot, expiresAt: Math.floor(Date.now() / 1_000) + 60 },
  });
  const second = await slackBot(slack, scriptedModel(["Renewed."]), options);
  connection = second.connection;
  await expect.poll(() => second.connection.status().ok).toBe(true);
  const { ts } = await slack.say({ user: "U2DORA", channel: "C2GENERAL", text: "<@U2KNACK> hello" });

  await slack.until((state) => answers(state, "C2GENERAL", ts, 1), "an answer");
  const renewed = (await sealed.get(key)) as { bot: { token: string } };
  expect(renewed.bot.token).not.toBe(old);
  const state = await slack.look();
  expect(state.calls("oauth.v2.access")).toHaveLength(2);
  expect(state.calls("chat.postMessage").map(({ token }) => token)).toEqual([renewed.bot.token]);
});

/** Opens the install page and answers where its button leads. */
async function beginInstallation(url: string) {
  const page = await fetch(`${url}/slack/install`);
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const [, link = ""] = /href="([^"]+)"/.exec(await page.text()) ?? [];
  const authorize = link.replaceAll("&amp;", "&");
  return { authorize, cookie, state: new URL(authorize).searchParams.get("state") ?? "" };
}

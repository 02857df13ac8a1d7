import { webApi } from "@slack/bolt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, webClient } from "../../support/slack/bolt-rig.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";

const { ErrorCode } = webApi;
let slack: SlackServer;
let client: webApi.WebClient;

beforeAll(async () => {
  slack = await startSlackServer();
  client = webClient(slack);
});

afterAll(() => slack.close());

describe("files", () => {
  test("files are uploaded in three steps and downloaded with a token only", async () => {
    await client.filesUploadV2({ channel_id: "C0GENERAL", filename: "a.txt", file: Buffer.from("bytes") });
    const [message] = (await slack.look()).botMessages("C0GENERAL").filter(({ files }) => files.length > 0);
    const { file } = await client.files.info({ file: String(message?.files[0]) });
    const address = String(file?.url_private_download);
    const get = (token: string) => fetch(address, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await get("xoxb-T0ACME-first")).text()).toBe("bytes");
    for (const token of ["xoxb-wrong", "xoxb-T0GLOBEX-first"]) {
      const page = await get(token);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    }
    const files = [{ id: String(file?.id) }] as [{ id: string }];
    expect(await answerOf(client.files.completeUploadExternal({ files, channel_id: "C0RANDOM" }))).toBe(
      "not_in_channel",
    );
  });
});

describe("tokens and limits", () => {
  test("the fake answers missing scopes, tokens of the wrong kind, revoked tokens and unknown methods", async () => {
    const globex = webClient(slack, "xoxb-T0GLOBEX-first");
    await slack.removeScopes({ team: "T0GLOBEX", scopes: ["chat:write"] });
    const refused = globex.chat.postMessage({ channel: "C1GENERAL", text: "x" });
    await expect(refused).rejects.toMatchObject({ data: { error: "missing_scope", needed: "chat:write" } });
    expect(await answerOf(client.apps.connections.open({}))).toBe("not_allowed_token_type");
    expect(await answerOf(webClient(slack, "xoxb-nobody").auth.test())).toBe("invalid_auth");
    await slack.revoke({ token: "xoxb-T0GLOBEX-first" });
    expect(await answerOf(globex.auth.test())).toBe("token_revoked");
    expect(await answerOf(client.apiCall("chat.shout"))).toBe("unknown_method");
  });

  test("planned rate limits, errors and failures happen as often as requested", async () => {
    await slack.rateLimit({ method: "chat.update", seconds: 7 });
    const update = () => client.chat.update({ channel: "C0GENERAL", ts: "1.1", text: "x" });
    await expect(update()).rejects.toMatchObject({ code: ErrorCode.RateLimitedError, retryAfter: 7 });
    await slack.fail({ method: "chat.update", error: "internal_error" });
    expect(await answerOf(update())).toBe("internal_error");
    await slack.fail({ method: "chat.update", status: 503 });
    await expect(update()).rejects.toMatchObject({ code: ErrorCode.HTTPError, statusCode: 503 });
    expect(await answerOf(update())).toBe("message_not_found");
    const { calls } = { calls: (await slack.look()).calls("chat.update").slice(-4) };
    expect(calls.map(({ status }) => status)).toEqual([429, 200, 503, 200]);
  });

  test("a delayed call is answered after a later one", async () => {
    await slack.delay({ method: "auth.test", ms: 300 });
    const order: string[] = [];
    const slow = client.auth.test().then(() => order.push("slow"));
    await slack.until((state) => state.calls("auth.test").at(-1)?.error === undefined, "the call there");
    await client.users.info({ user: "U0BEN" }).then(() => order.push("quick"));
    await slow;
    expect(order).toEqual(["quick", "slow"]);
  });

  test("an installation gives rotating tokens, and a code and a refresh token are valid once", async () => {
    const { client_id, client_secret } = slack.seed.app;
    const redirect_uri = "http://127.0.0.1:1/slack/oauth_redirect";
    const query = new URLSearchParams({ client_id, scope: "chat:write", redirect_uri, state: "s" });
    const page = await fetch(`${slack.authorizeUrl}?${query}`, { redirect: "manual" });
    const back = new URL(page.headers.get("location") ?? "");
    expect(back.searchParams.get("state")).toBe("s");
    const exchange = { client_id, client_secret, redirect_uri, code: back.searchParams.get("code") ?? "" };
    const nobody = webClient(slack, "");
    expect(await answerOf(nobody.oauth.v2.access({ ...exchange, client_secret: "x" }))).toBe(
      "bad_client_secret",
    );
    const first = await nobody.oauth.v2.access(exchange);
    expect(first).toMatchObject({ team: { id: "T0INITECH" }, scope: "chat:write", expires_in: 43_200 });
    expect(await answerOf(nobody.oauth.v2.access(exchange))).toBe("invalid_code");
    await slack.expire({ token: String(first.access_token) });
    const expired = webClient(slack, String(first.access_token));
    expect(await answerOf(expired.auth.test())).toBe("token_expired");
    const refresh = {
      client_id,
      client_secret,
      grant_type: "refresh_token" as const,
      refresh_token: String(first.refresh_token),
    };
    const second = await nobody.oauth.v2.access(refresh);
    expect((await webClient(slack, String(second.access_token)).auth.test()).team_id).toBe("T0INITECH");
    expect(await answerOf(nobody.oauth.v2.access(refresh))).toBe("invalid_refresh_token");
  });

  test("enforced rates make a fifth message at once into a channel wait", async () => {
    const strict = await startSlackServer({ enforceRates: true });
    const posts = Array.from({ length: 5 }, () =>
      webClient(strict).chat.postMessage({ channel: "C0GENERAL", text: "x" }),
    );
    const answers = await Promise.allSettled(posts);
    await strict.close();
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: { code: ErrorCode.RateLimitedError, retryAfter: 1 } }]);
  });
});

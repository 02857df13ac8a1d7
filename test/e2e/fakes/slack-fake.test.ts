import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { App, webApi } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startHttpApp, startSocketApp, webClient } from "../../support/slack/bolt-rig.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";

let slack: SlackServer;
let client: webApi.WebClient;
let app: App | undefined;

beforeEach(async () => {
  slack = await startSlackServer({ ackTimeoutMs: 300, retryDelaysMs: [0, 20, 20] });
  client = webClient(slack);
});

afterEach(async () => {
  await app?.stop();
  app = undefined;
  await slack.close();
});

interface Seen {
  type: string;
  subtype?: string;
  event_id: string;
  event: Record<string, unknown>;
  retry: number | undefined;
}

/** Keeps every event in the order it came. */
function keep(seen: Seen[]) {
  return (bolt: App) => {
    bolt.use(async ({ body, context, next }) => {
      const { event, event_id } = body as unknown as { event?: Record<string, unknown>; event_id: string };
      if (event !== undefined)
        seen.push({
          type: String(event.type),
          ...(typeof event.subtype === "string" ? { subtype: event.subtype } : {}),
          event_id,
          event,
          retry: context.retryNum,
        });
      await next();
    });
  };
}

const allAcked = () =>
  slack.until((state) => state.deliveries().every((each) => each.acked), "all deliveries acknowledged");

describe("events over Socket Mode", () => {
  test("a mention arrives as message and as app_mention with different event ids, and the ack is seen", async () => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, (bolt) => {
      keep(seen)(bolt);
      bolt.event("app_mention", async ({ event, say }) => {
        await say({ text: "Here I am.", thread_ts: event.ts });
      });
    });
    const { ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "<@U0KNACK> hello" });
    const answer = await slack.until((state) => state.botMessages("C0GENERAL", ts)[0], "an answer");
    expect(answer).toMatchObject({ text: "Here I am.", thread_ts: ts, truncated: false });
    await allAcked();
    const forMessage = seen.filter(({ event }) => event.ts === ts);
    expect(forMessage.map(({ type }) => type).sort()).toEqual(["app_mention", "message"]);
    expect(new Set(forMessage.map(({ event_id }) => event_id)).size).toBe(2);
    const own = seen.find(({ event }) => event.ts === answer.ts);
    expect(own?.event).toMatchObject({ bot_id: "B0KNACK", app_id: "A0KNACK", channel_type: "channel" });
  });

  test("events do not arrive from channels without the bot, nor mention events from direct messages", async () => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, keep(seen));
    await slack.say({ user: "U0ANNA", channel: "C0RANDOM", text: "<@U0KNACK> psst" });
    await slack.say({ user: "U0BEN", channel: "D0BEN", text: "<@U0KNACK> hi" });
    await allAcked();
    expect(seen.map(({ type, event }) => [type, event.channel, event.channel_type])).toEqual([
      ["message", "D0BEN", "im"],
    ]);
  });

  test("an edit arrives as message_changed and once more as app_mention, and a preview without the mention", async () => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, keep(seen));
    const { ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "<@U0KNACK> helo" });
    await slack.edit({ channel: "C0GENERAL", ts, text: "<@U0KNACK> hello" });
    await allAcked();
    const [changed, mention] = seen.slice(2);
    expect(changed?.event).toMatchObject({
      subtype: "message_changed",
      message: { text: "<@U0KNACK> hello", edited: { user: "U0ANNA" } },
      previous_message: { text: "<@U0KNACK> helo" },
    });
    expect(mention).toMatchObject({ type: "app_mention", event: { ts, edited: { user: "U0ANNA" } } });
    await slack.unfurl({ channel: "C0GENERAL", ts });
    await slack.remove({ channel: "C0GENERAL", ts });
    await allAcked();
    expect(seen.slice(4).map(({ subtype }) => subtype)).toEqual(["message_changed", "message_deleted"]);
    expect((await slack.look()).messages("C0GENERAL")).toEqual([]);
  });

  test("files, invitations and reactions arrive with Slack's fields", async () => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, keep(seen));
    const file = { name: "a.txt", mimetype: "text/plain", content: "the text" };
    const { ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "see", files: [file] });
    await slack.say({ user: "U0STELLA", channel: "C0SHARED", text: "", files: [file] });
    await slack.react({ user: "U0BEN", channel: "C0GENERAL", ts, reaction: "eyes" });
    await slack.join({ channel: "C0RANDOM", inviter: "U0BEN" });
    await allAcked();
    const [shared, foreign, reaction, joined] = seen;
    expect(shared?.event).toMatchObject({ subtype: "file_share", files: [{ name: "a.txt", size: 8 }] });
    expect(foreign?.event).toMatchObject({ files: [{ file_access: "check_file_info" }], team: "T0OTHER" });
    expect(reaction?.event).toMatchObject({ type: "reaction_added", item: { ts }, item_user: "U0ANNA" });
    expect(joined?.event).toMatchObject({ type: "member_joined_channel", user: "U0KNACK", inviter: "U0BEN" });
  });

  test("an event that nobody acknowledges arrives three times more, in envelopes of its own", async () => {
    const { url } = await webClient(slack, slack.seed.app.app_token).apps.connections.open({});
    const socket = new WebSocket(String(url));
    const envelopes: Record<string, unknown>[] = [];
    socket.on("message", (data) => envelopes.push(JSON.parse(String(data)) as Record<string, unknown>));
    await once(socket, "message");
    await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "anyone?" });
    const given = await slack.until((state) => state.deliveries().find((each) => each.given_up), "giving up");
    socket.terminate();
    expect(given.attempts.map(({ failure }) => failure)).toEqual(Array(4).fill("timeout"));
    const retries = envelopes.filter(({ type }) => type === "events_api");
    expect(retries.map(({ retry_attempt }) => retry_attempt)).toEqual([0, 1, 2, 3]);
    expect(new Set(retries.map(({ envelope_id }) => envelope_id)).size).toBe(4);
    expect(retries[3]).toMatchObject({ retry_reason: "timeout", payload: retries[0]?.payload });
  });

  test("an event can arrive again though it was acknowledged", async () => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, keep(seen));
    await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "once" });
    await allAcked();
    await slack.redeliver({});
    await slack.until((state) => state.deliveries()[0]?.attempts[1]?.acked, "the second ack");
    expect(seen.map(({ retry }) => retry)).toEqual([0, 1]);
    expect(seen[0]?.event_id).toBe(seen[1]?.event_id);
  });

  test.each(["asked", "cut"] as const)("an app comes back after its connection ended (%s)", async (how) => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, keep(seen));
    await slack.refuseConnections({ on: true });
    await slack.dropConnections({ how });
    await slack.until((state) => state.all.connections === 0, "the connection gone");
    await slack.until(
      (state) => state.refusals()[0]?.method === "apps.connections.open",
      "a refused attempt",
    );
    await slack.refuseConnections({ on: false });
    await slack.until((state) => state.all.connections === 1, "a new connection");
    await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "back?" });
    await allAcked();
    expect(seen).toHaveLength(1);
  });

  test("events go to several connections in turn, and both workspaces have their own", async () => {
    const first: Seen[] = [];
    const second: Seen[] = [];
    app = await startSocketApp(slack, keep(first));
    const other = await startSocketApp(slack, keep(second));
    await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "one" });
    await slack.say({ user: "U1CARL", channel: "C1GENERAL", text: "two" });
    await allAcked();
    await other.stop();
    expect([first.length, second.length]).toEqual([1, 1]);
    expect((await slack.look()).deliveries().map(({ team_id }) => team_id)).toEqual(["T0ACME", "T0GLOBEX"]);
  });

  test("an uninstalled app is told, and its token no longer works", async () => {
    const seen: Seen[] = [];
    app = await startSocketApp(slack, keep(seen));
    await slack.uninstall({ team: "T0GLOBEX" });
    await slack.until((state) => state.deliveries("app_uninstalled")[0]?.attempts[0]?.at, "the event");
    const globex = webClient(slack, "xoxb-T0GLOBEX-first");
    await expect(globex.auth.test()).rejects.toMatchObject({ data: { error: "token_revoked" } });
    expect((await client.auth.test()).team_id).toBe("T0ACME");
  });
});

describe("signed HTTP", () => {
  test("signed HTTP brings events, and again with retry headers after a failure, unless the app asks not to", async () => {
    const requests: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      requests.push(request.headers);
      request.resume();
      response.writeHead(500, requests.length === 3 ? { "x-slack-no-retry": "1" } : {}).end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    await slack.deliverTo({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "hello" });
    const delivery = await slack.until(
      (state) => state.deliveries().find((each) => each.given_up),
      "giving up",
    );
    server.closeAllConnections();
    server.close();
    expect(delivery.attempts.map(({ failure }) => failure)).toEqual(Array(3).fill("http_error"));
    expect(requests.map((headers) => headers["x-slack-retry-num"])).toEqual([undefined, "1", "2"]);
    expect(requests[1]?.["x-slack-retry-reason"]).toBe("http_error");
    expect(requests[0]?.["content-type"]).toBe("application/json");
  });

  test("the receiver passes the challenge and refuses wrong and old signatures", async () => {
    app = await startHttpApp(slack, () => undefined);
    expect(await slack.verifyUrl()).toEqual({ verified: true, status: 200 });
    const body = { type: "url_verification", challenge: "x" };
    expect(await slack.forge({ body, signature: "v0=00" })).toMatchObject({ status: 401 });
    expect(await slack.forge({ body, age_seconds: 600 })).toMatchObject({ status: 401 });
    expect(await slack.forge({ body })).toMatchObject({ status: 200 });
  });

  test("commands arrive as forms, and only the person sees the reply", async () => {
    app = await startHttpApp(slack, (bolt) => {
      bolt.command("/knack", async ({ command, ack }) => ack(`You said ${command.text}.`));
    });
    await slack.command({ user: "U0BEN", channel: "C0RANDOM", command: "/knack", text: "help me" });
    const shown = await slack.until((state) => state.ephemerals("U0BEN")[0], "the reply");
    expect(shown).toMatchObject({ text: "You said help me.", channel: "C0RANDOM" });
    expect((await slack.look()).messages("C0RANDOM")).toEqual([]);
  });
});

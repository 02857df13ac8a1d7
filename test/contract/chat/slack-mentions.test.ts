import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnswerStream, OutgoingMessage } from "../../../src/core/ports/chat-platform.ts";
import { webClient } from "../../support/slack/bolt-rig.ts";
import type { MessageRecord } from "../../support/slack/world/message-record.ts";
import { acme, type SlackWorld, startSlackWorld } from "../../support/slack/world/slack-world.ts";

let world: SlackWorld;
beforeAll(async () => {
  world = await startSlackWorld();
});
afterAll(() => world.slack.close());

const everybody = "<@U0ANNA> <@U0BEN> <@&S0ONCALL> <!subteam^S0ONCALL> <!here> <!channel> <!everyone> @here";
const place = { namespace: acme("C0GENERAL"), thread: "channel" };
const tag = { turn_id: "t1", purpose: "answer" as const, part: 0 };

async function message(ts: string): Promise<MessageRecord> {
  const found = (await world.slack.look()).messages("C0GENERAL").find((each) => each.ts === ts);
  if (found === undefined) throw new Error(`There is no message ${ts}.`);
  return found;
}

test("the fake notifies people of the channel and groups, not where code or an edit says so", async () => {
  const client = webClient(world.slack);
  const text = "<@U0BEN> <@U0GUS> <!subteam^S0ONCALL> `<@U0ANNA>` <!here> <!subteam^S0NONE> &lt;@U0ANNA&gt;";
  const { ts = "" } = await client.chat.postMessage({ channel: "C0GENERAL", text });
  expect((await message(ts)).notified).toEqual(["U0BEN", "S0ONCALL", "!here"]);
  await client.chat.update({ channel: "C0GENERAL", ts, text: "<@U0ANNA>" });
  expect((await message(ts)).notified).not.toContain("U0ANNA");
  const blocks = [{ type: "markdown", text: "hi <@U0ANNA>" }];
  const shown = await client.chat.postMessage({ channel: "C0GENERAL", text: "<@U0BEN>", blocks });
  expect((await message(shown.ts ?? "")).notified).toEqual(["U0ANNA"]);
});

describe("a message", () => {
  test.each([
    [[], []],
    [["U0BEN"], ["U0BEN"]],
    [
      ["U0ANNA", "S0ONCALL"],
      ["U0ANNA", "S0ONCALL"],
    ],
  ])("a message that may call %j notifies %j", async (calls, notified) => {
    for (const form of [{}, { plain: true as const }]) {
      const ts = await world.platform.post(place, { markdown: everybody, calls, ...form });
      expect((await message(ts)).notified).toEqual(notified);
    }
  });
});

describe("a stream", () => {
  const open = async (start: Partial<OutgoingMessage> = {}): Promise<AnswerStream> => {
    const { ts } = await world.slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "tell them" });
    const to = { message: ts, person: "U0ANNA" };
    return world.platform.openStream({ ...place, thread: ts }, tag, to, { markdown: "", ...start });
  };
  const finished = async (stream: AnswerStream, markdown: string, calls: string[]) => {
    await stream.finish({ tag, markdown, calls });
    return message(stream.reference);
  };

  test("a stream notifies those it may call, wherever it is cut, and nobody else", async () => {
    for (const cut of [1, 9, 20, 28, 33, 52]) {
      const stream = await open();
      await stream.append(everybody.slice(0, cut), ["U0BEN", "S0ONCALL"]);
      await stream.append(everybody.slice(cut, 60), ["U0BEN", "S0ONCALL"]);
      const { notified } = await finished(stream, everybody, ["U0BEN", "S0ONCALL"]);
      expect(notified).toEqual(["U0BEN", "S0ONCALL"]);
    }
  });

  test("a stream of words from before they could call somebody calls them in the end", async () => {
    const stream = await open();
    await stream.append("I asked <@U0BEN> and <@U0ANNA> already.", []);
    const said = "I asked <@U0BEN> and <@U0ANNA> already.";
    const { notified, text, blocks } = await finished(stream, said, ["U0BEN"]);
    expect(notified).toEqual(["U0BEN"]);
    const shown = text + JSON.stringify(blocks);
    expect(shown.match(/<@U0BEN>/g)).toHaveLength(2);
    expect(shown).not.toContain("<@U0ANNA>");
  });

  test("a stream that ends with another text, or with links, loses no mention", async () => {
    const other = await open();
    await other.append("I do not know.", ["U0BEN"]);
    expect((await finished(other, "Ask <@U0BEN>.", ["U0BEN"])).notified).toEqual(["U0BEN"]);
    const linked = await open();
    await linked.append("See https://a.example/x. ", ["U0BEN"]);
    const said = "See https://a.example/x. Ask <@U0BEN>.";
    expect((await finished(linked, said, ["U0BEN"])).notified).toEqual(["U0BEN"]);
  });

  test("a stream with progress above it, which an edit ends, loses no mention", async () => {
    const stream = await open({ progress: { title: "Asking", markdown: "Asking", steps: [], done: false } });
    expect((await finished(stream, "Ask <@U0BEN>.", ["U0BEN"])).notified).toEqual(["U0BEN"]);
  });

  test("a stream that Slack closed calls by a message after it", async () => {
    const stream = await open({ markdown: "Wait. " });
    await world.slack.closeStreams();
    const answer = await finished(stream, "Wait. Ask <@U0BEN> and <@U0ANNA>.", ["U0BEN"]);
    expect(JSON.stringify(answer.blocks)).toContain("Ask <@U0BEN>");
    const [last] = (await world.slack.look()).messages("C0GENERAL", answer.thread_ts).slice(-1);
    expect(last).toMatchObject({ text: "<@U0BEN>", notified: ["U0BEN"] });
  });

  test("a stream calls once whom it has called, though it ends with an edit", async () => {
    const stream = await open();
    await stream.append("Ask <@U0BEN>, see https://a.example/x. ", ["U0BEN"]);
    await finished(stream, "Ask <@U0BEN>, see https://a.example/x. Bye.", ["U0BEN"]);
    const stops = (await world.slack.look()).calls("chat.stopStream");
    expect(JSON.stringify(stops.at(-1)?.arguments)).not.toContain("U0BEN");
  });
});

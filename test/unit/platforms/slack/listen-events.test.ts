import { beforeEach, describe, expect, test } from "vitest";
import { type RecordedEvents, recordedEvents } from "./support/recorded.ts";

let slack: RecordedEvents;
beforeEach(async () => {
  slack = await recordedEvents();
});

const channel = { namespace: "slack:T0ACME:C0GENERAL", thread: "1732260000.000100" };

describe("messages", () => {
  test("message and app_mention of one message are the same inbound, readable and without the bot's mention", async () => {
    await slack.send("message-channel");
    await slack.send("app-mention");

    const [message, mention] = slack.handed;
    expect(message?.given).toEqual({
      key: "slack:T0ACME:C0GENERAL:1732260000.000100",
      place: channel,
      id: "1732260000.000100",
      author: "U0BEN",
      by_bot: false,
      text: "say [hello](https://a.example/x) to @Anna & #general",
      said_at: 1_732_260_000_000,
      addressed: "mention",
      mentions_others: true,
      mentions: [{ id: "U0ANNA", name: "Anna", kind: "person" }],
      in_thread: false,
      files: [],
    });
    expect(mention).toEqual(message);
  });

  test("a direct message opens a thread, as in a channel, or belongs to the one it is in", async () => {
    await slack.send("message-im");
    await slack.send("assistant-message");

    const direct = "slack:T0ACME:dm-U0BEN";
    expect(slack.handed.map(({ given }) => given)).toMatchObject([
      {
        place: { namespace: direct, thread: "1732260000.000100" },
        addressed: "direct",
        in_thread: false,
        text: "what's up?",
      },
      { place: { namespace: direct, thread: "1732259990.000200" }, addressed: "direct", in_thread: true },
    ]);
  });

  test("a shared file is handed in by reference, and a deleted one is not", async () => {
    await slack.send("file-share");

    expect(slack.handed[0]?.given).toMatchObject({
      text: "",
      in_thread: true,
      place: { ...channel, thread: "1732259990.000200" },
      files: [
        {
          id: "F0NOTES",
          name: "notes.txt",
          media_type: "text/plain",
          bytes: 12,
          url: "https://files.slack.com/files-pri/T0ACME-F0NOTES/download/notes.txt",
        },
      ],
    });
    expect(slack.handed[0]?.given.files).toHaveLength(1);
  });

  test("a file in a channel shared with another company is known only by its id", async () => {
    await slack.send("slack-connect");

    expect(slack.handed[0]?.given).toMatchObject({
      author: "U0STELLA",
      files: [{ id: "F0SHARED", name: "F0SHARED", media_type: "application/octet-stream", bytes: 0 }],
    });
  });

  test("a reply that is also sent to the channel belongs to its thread, and calls others", async () => {
    await slack.send("thread-broadcast");

    expect(slack.handed[0]?.given).toMatchObject({
      text: "@here look",
      mentions_others: true,
      addressed: "none",
      in_thread: true,
      place: { thread: "1732259990.000200" },
    });
  });

  test("the bot's own messages and channel events are not handed in, and another bot is named as one", async () => {
    await slack.send("own-message");
    await slack.send("channel-topic");
    expect(slack.handed).toEqual([]);

    await slack.send("bot-message");
    expect(slack.handed[0]?.given).toMatchObject({ author: "B0OTHER", by_bot: true, text: "Build failed" });
  });
});

describe("changes", () => {
  test("an edit has the message's key, its new text and the time of the edit", async () => {
    await slack.send("message-changed");

    expect(slack.handed).toMatchObject([
      {
        what: "edited",
        given: {
          key: "slack:T0ACME:C0GENERAL:1732260000.000100",
          place: channel,
          text: "3 + 3",
          edited_at: 1_732_260_010_000,
        },
      },
    ]);
  });

  test("a deletion names the deleted message and its thread", async () => {
    await slack.send("message-deleted");

    expect(slack.handed).toEqual([
      {
        what: "removed",
        given: {
          key: "slack:T0ACME:C0GENERAL:1732260000.000100",
          place: { ...channel, thread: "1732259990.000200" },
          id: "1732260000.000100",
        },
      },
    ]);
  });

  test("a deleted question with answers, which leaves a tombstone in Slack, is a deletion of its author's message", async () => {
    await slack.send("tombstone");

    expect(slack.handed).toEqual([
      {
        what: "removed",
        given: {
          key: "slack:T0ACME:D0BEN:1732260000.000100",
          place: { namespace: "slack:T0ACME:dm-U0BEN", thread: "1732260000.000100" },
          id: "1732260000.000100",
        },
      },
    ]);
  });
});

describe("reactions", () => {
  const added = {
    place: channel,
    reference: "1732260000.000100",
    person: "U0BEN",
    emoji: "+1",
    added: true,
    at: 1_732_260_030_001,
    key: "slack:T0ACME:C0GENERAL:1732260000.000100:U0BEN:+1::skin-tone-3:1732260030.000500",
  };

  test("reactions are handed in without their skin tone, before they are acknowledged", async () => {
    expect(await slack.send("reaction-added")).toEqual({ acknowledged: true, handedBefore: 1 });
    await slack.send("reaction-removed");

    const key = added.key.replace("1732260030.000500", "1732260031.000600");
    expect(slack.handed).toEqual([
      { what: "reacted", given: added },
      { what: "reacted", given: { ...added, added: false, at: 1_732_260_031_001, key } },
    ]);
  });

  test("reactions in direct messages belong to those of the person", async () => {
    await slack.send("reaction-im");

    const place = { namespace: "slack:T0ACME:dm-U0BEN", thread: "1732260000.000100" };
    expect(slack.handed).toMatchObject([{ what: "reacted", given: { place, emoji: "eyes" } }]);
  });

  test("reactions of the bot itself, and to files, are ignored", async () => {
    for (const name of ["reaction-own", "reaction-file"])
      expect(await slack.send(name)).toEqual({ acknowledged: true, handedBefore: 0 });
  });

  test("reactions are delivered again when they could not be stored", async () => {
    slack.fail(1);
    expect(await slack.send("reaction-added")).toMatchObject({ acknowledged: false });
    await slack.send("reaction-added");
    expect(slack.handed).toMatchObject([{ what: "reacted", given: added }]);
  });
});

describe("mentions", () => {
  const anna = { id: "U0ANNA", name: "Anna", kind: "person" };
  const oncall = { id: "S0ONCALL", name: "oncall", kind: "group" };

  test("mentions of people and user groups are listed once each, with the names people read, without the bot", async () => {
    await slack.send("message-mentions");

    expect(slack.handed).toMatchObject([
      {
        what: "message",
        given: {
          text: "ask @Anna, @Anna, @oncall, @oncall, @U0NOBODY and @crew",
          mentions: [
            anna,
            { id: "U0NOBODY", name: "U0NOBODY", kind: "person" },
            oncall,
            { id: "S0CREW", name: "crew", kind: "group" },
          ],
        },
      },
    ]);
  });

  test("mentions of an edited message are those of its current text", async () => {
    await slack.send("message-changed-mentions");

    expect(slack.handed).toMatchObject([{ what: "edited", given: { mentions: [oncall] } }]);
  });
});

test("the bot's coming and going is reported, with who invited it", async () => {
  await slack.send("member-joined");
  await slack.send("member-left");

  expect(slack.handed).toEqual([
    { what: "joined", given: { namespace: "slack:T0ACME:C0RANDOM", by: "U0ANNA" } },
    { what: "left", given: "slack:T0ACME:C0RANDOM" },
  ]);
});

describe("the acknowledgement", () => {
  test("the acknowledgement follows after the message is stored", async () => {
    expect(await slack.send("message-channel")).toEqual({ acknowledged: true, handedBefore: 1 });
  });

  test("the acknowledgement is missing when the message could not be stored", async () => {
    slack.fail(1);
    expect(await slack.send("message-channel")).toMatchObject({ acknowledged: false });
    expect(await slack.send("message-channel")).toMatchObject({ acknowledged: true });
  });

  test("the acknowledgement is sent for events of no interest", async () => {
    expect(await slack.send("channel-topic")).toMatchObject({ acknowledged: true });
  });
});

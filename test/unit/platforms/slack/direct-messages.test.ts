import { expect, test } from "vitest";
import { placeOf } from "../../../../src/platforms/slack/channel/parse-message.ts";
import { directMessagesOf } from "../../../../src/platforms/slack/connection/slack-settings.ts";

test.each([
  ["auto", ["chat:write", "assistant:write"], "threads"],
  ["auto", ["chat:write"], "one"],
  ["auto", [], "one"],
  ["auto", undefined, "threads"],
  ["one", ["assistant:write"], "one"],
  ["threads", [], "threads"],
] as const)("direct messages with the setting %s and the scopes %j are %s", (setting, scopes, expected) => {
  expect(directMessagesOf(setting, scopes)).toBe(expected);
});

test.each([
  ["what stands in no thread", "one", { ts: "2.0" }, "dm"],
  ["what people have replied to", "one", { ts: "2.0", thread_ts: "2.0" }, "dm"],
  ["a reply", "one", { ts: "2.1", thread_ts: "2.0" }, "2.0"],
  ["what stands in no thread", "threads", { ts: "2.0" }, "2.0"],
  ["a reply", "threads", { ts: "2.1", thread_ts: "2.0" }, "2.0"],
] as const)("the place is right for %s with direct messages as %s", (_, direct, message, thread) => {
  const at = { team: "T1", direct };
  expect(placeOf({ channel: "D1" }, message, at, "U1")).toEqual({ namespace: "slack:T1:dm-U1", thread });
  const inChannel = placeOf({ channel: "C1" }, message, at, "U1");
  expect(inChannel).toEqual({
    namespace: "slack:T1:C1",
    thread: "thread_ts" in message ? message.thread_ts : message.ts,
  });
});

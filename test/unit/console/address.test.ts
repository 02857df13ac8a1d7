import { expect, test } from "vitest";
import {
  formatAddress,
  parseAddress,
  parseChannelName,
  toChannels,
} from "../../../src/console/state/channels.ts";

test.each([
  { namespace: "console:local:general", thread: undefined, hash: "#/general" },
  { namespace: "console:local:general", thread: "t-1", hash: "#/general/t-1" },
  { namespace: "slack:T1:C2", thread: "17.5", hash: "#/slack%3AT1%3AC2/17.5" },
])("an address survives being written to the hash $hash", ({ namespace, thread, hash }) => {
  expect(formatAddress({ namespace, thread })).toBe(hash);
  expect(parseAddress(hash)).toEqual({ namespace, thread });
});

test.each(["", "#", "#/", "#/a b", "#/%", "#/x/y/z"])("the hash %j names no address", (hash) => {
  expect(parseAddress(hash)).toBeUndefined();
});

test("a typed channel name becomes a namespace", () => {
  expect(parseChannelName(" #Travel plans ")).toEqual({ ok: true, namespace: "console:local:travel-plans" });
});

test.each(["", "  ", "ärger", "dm", "dm-ada", "-x", "a/b", "x".repeat(61)])(
  "the channel name %j is refused with a reason",
  (name) => {
    expect(parseChannelName(name)).toEqual({ ok: false, message: expect.stringMatching(/\.$/) });
  },
);

test("channels come before direct messages, each once", () => {
  const names = toChannels(["console:local:zoo", "console:local:dm-ada", "console:local:general"]).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["general", "random", "zoo", "dm", "dm-ada"]);
});

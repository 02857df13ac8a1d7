import { describe, expect, it } from "vitest";
import { inboundSchema, timeZoneNamed } from "../../../../src/core/values/inbound.ts";

describe("a time zone", () => {
  it.each([
    ["Europe/Amsterdam", "Europe/Amsterdam"],
    ["  europe/amsterdam ", "Europe/Amsterdam"],
    ["America/New York", "America/New_York"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["Europe/Kyiv", "Europe/Kyiv"],
    ["utc", "UTC"],
    ["Etc/GMT+3", "Etc/GMT+3"],
    ["GB", "Europe/London"],
  ])("the time zone %j is %s", (text, zone) => {
    expect(timeZoneNamed(text)).toBe(zone);
  });

  it.each([
    "",
    " ",
    "Mars/Phobos",
    "Etc/Unknown",
    "+02:00",
    "-05",
    "Europe/\nAmsterdam",
    "x".repeat(1_000_000),
  ])("the text %.20j is not a time zone", (text) => {
    expect(timeZoneNamed(text)).toBeUndefined();
  });

  it.each([undefined, null, 7, "Mars/Phobos", ["UTC"]])(
    "an author's time zone %j is dropped",
    (time_zone) => {
      const author = { id: "ada", name: "Ada", trust: "member", time_zone };
      const place = { namespace: "console:local:general", thread: "t" };
      const inbound = inboundSchema.parse({ key: "k", ...place, author, kind: "message", text: "hello" });
      expect(inbound.author).toEqual({ id: "ada", name: "Ada", trust: "member" });
    },
  );
});

import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/redact.ts";

const slackToken = { mark: "xox", pattern: /\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}/g };

describe("what leaves", () => {
  it("holds no known secret, in keys and values alike, however deep", () => {
    const redact = createRedactor(["hunter22"]);
    expect(redact({ a: [{ hunter22: "is hunter22!" }] })).toEqual({ a: [{ "[secret]": "is [secret]!" }] });
  });

  it("holds no secret of a known form, though nobody named it", () => {
    const redact = createRedactor([], [slackToken]);
    expect(redact("Bearer xoxb-12345678-abc and xoxe.xoxb-1-abcdefgh, not xox or foxes")).toBe(
      "Bearer [secret] and [secret], not xox or foxes",
    );
  });

  it("is the same object when there is nothing to take out", () => {
    const value = { a: ["b", { c: 1 }] };
    expect(createRedactor(["hunter22"], [slackToken])(value)).toBe(value);
  });

  it("keeps values that are too short to be told from text", () => {
    expect(createRedactor(["key"])("the key")).toBe("the key");
  });
});

import { describe, expect, it } from "vitest";
import { redactKey } from "../../../src/models/provider-error.ts";

describe("a server's text", () => {
  it.each([
    ["Incorrect API key provided: my-te**key. You can find", "my-test-key"],
    ["Incorrect API key provided: sk-proj-********wxyz.", "sk-proj-abcdwxyz"],
    ["invalid header: Bearer abc.def", undefined],
    ["key sk-ant-api03-abcdef is revoked", undefined],
    ["the token hunter2hunter2 is unknown", "hunter2hunter2"],
  ])("a server's text shows no part of the key: %s", (text, key) => {
    expect(redactKey(text, key)).not.toMatch(/my-te|\*\*|wxyz|abc|hunter2/);
  });

  it.each(["test", "ollama", "tiny"])("a short key that is a word leaves the text readable: %s", (key) => {
    const text = "tiny:latest of ollama does not support tools";
    expect(redactKey(text, key, key)).toBe(text);
  });

  it("a server's text is otherwise unchanged", () => {
    const text = "Rate limit reached for gpt-5-mini: 200 tasks-per-minute. **Slow down.**";
    expect(redactKey(text, "sk-x")).toBe(text);
  });
});

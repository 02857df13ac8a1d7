import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../../src/models/provider-error.ts";

describe("the wait a server asks for", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "3", "retry-after-ms": "250" }, 250],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" }, 20_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-1", "retry-after-ms": "" }, undefined],
    [{}, undefined],
  ])("the wait a server asks for is read from %o as %s ms", (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });
});

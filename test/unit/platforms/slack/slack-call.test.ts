import { webApi } from "@slack/bolt";
import { expect, test } from "vitest";
import { SlackError, slackCall } from "../../../../src/platforms/slack/connection/slack-call.ts";

const failing = (error: unknown) =>
  slackCall("post a message", () => Promise.reject(error)).catch((thrown: unknown) => thrown as SlackError);
const refusal = (error: string, more = {}) => new webApi.WebAPIPlatformError({ ok: false, error, ...more });

test.each([
  ["channel_not_found", "gone"],
  ["not_in_channel", "gone"],
  ["token_revoked", "forbidden"],
  ["missing_scope", "forbidden"],
  ["internal_error", "unavailable"],
  ["ratelimited", "rate_limited"],
  ["invalid_blocks", "invalid"],
  ["a_code_of_next_year", "invalid"],
])("Slack's error %s counts as %s", async (slackCode, code) => {
  expect(await failing(refusal(slackCode))).toMatchObject({ code, slack_code: slackCode });
});

test("a rate limit says how long to wait, in ms", async () => {
  expect(await failing(new webApi.WebAPIRateLimitedError(7))).toMatchObject({
    code: "rate_limited",
    retryAfterMs: 7_000,
  });
});

test("a missing answer and a server's failure are temporary, but a refused request is not", async () => {
  expect(await failing(new webApi.WebAPIRequestError(new Error("reset")))).toMatchObject({
    code: "unavailable",
  });
  expect(await failing(new webApi.WebAPIHTTPError(503, "", {}))).toMatchObject({ code: "unavailable" });
  expect(await failing(new webApi.WebAPIHTTPError(403, "", {}))).toMatchObject({ code: "invalid" });
});

test("a dead token, a missing scope and a missing invitation are reported with what to do", async () => {
  const dead = await failing(refusal("invalid_auth"));
  expect(dead).toBeInstanceOf(SlackError);
  expect(dead.deadToken).toBe(true);
  expect(dead.message).toContain("install the app again");
  expect((await failing(refusal("missing_scope", { needed: "files:read" }))).message).toMatch(
    /files:read.*Add/,
  );
  expect((await failing(refusal("not_in_channel"))).message).toContain("invite me");
});

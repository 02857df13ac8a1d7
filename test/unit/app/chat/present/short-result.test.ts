import { expect, test } from "vitest";
import { shortResult } from "../../../../../src/app/chat/present/render-progress.ts";
import type { Json } from "../../../../../src/core/values/json.ts";

test.each<[Json, string]>([
  [[1, 2], "2 results"],
  [{ pages: [1, 2, 3] }, "3 pages"],
  ["It is sunny in Oslo.", "It is sunny in Oslo."],
  [{ error: "There is no city called Osla.", code: "not_found" }, "There is no city called Osla."],
  ["skill weather activated, current skills: [weather]\n<skill_guide>…", ""],
  [{ page: "<html><body>hello" }, ""],
  [{ text: "long ".repeat(50) }, ""],
  [{ error: "connect ECONNREFUSED 127.0.0.1:4121" }, "this did not work; the agent was told why"],
  [{ error: 'HTTP 400, {"type":"invalid"}' }, "this did not work; the agent was told why"],
])("the result %j is shortened to %j for the channel", (output, shown) => {
  expect(shortResult(output)).toBe(shown);
});

import { describe, expect, it } from "vitest";
import { editDistance, nearestName, nearestNames } from "../../../src/base/text/nearest-name.ts";

describe("edit distance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["same", "same", 0],
    ["cat", "cut", 1],
    ["cat", "cart", 1],
    ["cart", "cat", 1],
    ["ab", "ba", 1],
    ["abcd", "badc", 2],
    ["kitten", "sitting", 3],
  ])("the edit distance of %j and %j is %i, in either order", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe("the nearest name", () => {
  it.each([
    ["timeot_ms", ["timeout_ms", "retries"], "timeout_ms"],
    ["TIMEOUT-MS", ["timeout_ms"], "timeout_ms"],
    ["time", ["timeout_ms", "retries"], "timeout_ms"],
    ["ab", ["abcdef"], undefined],
    ["xy", ["ab"], undefined],
    ["zzzzzzzz", ["timeout_ms"], undefined],
    ["cat", ["cut", "cot"], "cut"],
    ["anything", [], undefined],
  ])("the nearest name to %j of %j is %j", (name, candidates, expected) => {
    expect(nearestName(name, candidates)).toBe(expected);
  });
});

describe("near names", () => {
  it.each([
    ["web-serch", ["web-search", "memory"], ["web-search"]],
    ["search", ["web-search", "memory"], ["web-search"]],
    ["my-memory-skill", ["memory"], ["memory"]],
    ["note", ["notes", "nota", "not", "node", "other"], ["node", "not", "nota"]],
    ["zzzzzzzz", ["memory"], []],
    ["", ["memory"], []],
    ["x-".repeat(50_000), ["memory", "x"], []],
  ])("the near names to %.30j of %j are %j", (text, names, expected) => {
    expect(nearestNames(text, names)).toEqual(expected);
  });
});

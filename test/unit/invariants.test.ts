/** The numbered invariants at the heads of rooms, the code that keeps them, and the tests that guard them. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listedIn, listedInvariants } from "../support/invariants.ts";

const textOf = (files: string[]) => files.map((file) => readFileSync(file, "utf8")).join("\n");

/** Ids in comments, without the lists themselves: `// log-1`, `… then on disk (log-3).` */
function citedIn(text: string): Set<string> {
  const comments = text.match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? [];
  const cited = comments.filter((line) => listedIn(line).length === 0).join("\n");
  return new Set([...cited.matchAll(/\b[a-z]+-\d+\b/g)].map(([id]) => id));
}

describe("invariants", () => {
  const listed = listedInvariants();
  const areas = ["log", "turn", "transcript", "store", "post"];

  it("the invariants of a room are numbered from one on, in one place", () => {
    const expected = areas.flatMap((area) => {
      const ids = [...listed.keys()].filter((id) => id.startsWith(`${area}-`));
      expect(new Set(ids.map((id) => listed.get(id))).size, area).toBe(1);
      return ids.map((_, at) => `${area}-${at + 1}`);
    });
    expect([...listed.keys()].toSorted()).toEqual(expected.toSorted());
  });

  it("each invariant is cited where it is kept and named by a test, and no other one is", () => {
    const cited = citedIn(textOf(globSync("src/**/*.ts")));
    const tests = textOf(globSync("test/**/*.ts"));
    const ids = [...listed.keys()];
    expect(ids.filter((id) => !cited.has(id))).toEqual([]);
    expect(ids.filter((id) => !new RegExp(`\\[(?:[a-z]+-\\d+, )*${id}[\\],]`).test(tests))).toEqual([]);
    const isOfArea = (id: string) => areas.includes(id.replace(/-\d+$/, ""));
    expect([...cited].filter((id) => isOfArea(id) && !listed.has(id))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { hostsInCode } from "../../../src/imported/code-hosts.ts";

const hostsOf = (text: string) =>
  hostsInCode({
    list: async () => [{ path: "handler.js", bytes: text.length }],
    read: async () => ({ ok: true, text }),
  });

describe("the hosts code names", () => {
  it("are not those of its comments", async () => {
    const code = `/* https://a.test/ */ fetch("https://b.test/x"); /* https://c.test/\n*/\n  // https://d.test/\nfetch("https://e.test");`;
    expect(await hostsOf(code)).toEqual(["b.test", "e.test"]);
  });

  it("are all there when a comment does not end", async () => {
    expect(await hostsOf(`fetch("https://a.test/"); /* fetch("https://b.test/")`)).toEqual([
      "a.test",
      "b.test",
    ]);
  });

  it.each(["/* ", "\n", " \n"])("are found in linear time in code made of %j", async (piece) => {
    expect(await hostsOf(`fetch("https://a.test/");${piece.repeat(500_000)}`)).toEqual(["a.test"]);
  });
});

import { describe, expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import { handlerOf, importedFixture, useSandbox, writeSkill } from "./imported-fixture.ts";

useSandbox();

describe("files of a handler", needs("bubblewrap"), () => {
  /** What one call left, as files of the answer. */
  async function filesOf(...bodies: string[]) {
    const { root, call } = importedFixture();
    const cases = bodies.map((text, at) => `if (args.step === ${at}) { ${text} }`).join("\n");
    const start = `const fs = require("fs"); const out = process.env.KNACK_OUTPUT_DIR;`;
    writeSkill(root, "thing", {
      plugin: { entrypoint: { file: "handler.js", params: { step: { type: "number" } } } },
      handler: handlerOf(`${start}\n${cases}\nreturn "done";`),
    });
    const results = [];
    for (const step of bodies.keys()) {
      const files: { name: string; media_type: string; data: Uint8Array }[] = [];
      const result = await call("thing", { step }, { file: async (file) => String(files.push(file)) });
      results.push({ result, files });
    }
    return results;
  }

  it("a handler's files come with the answer, each with the call that left it", async () => {
    const big = "Buffer.alloc(7000000, 7)";
    const [first, second, third] = await filesOf(
      `fs.mkdirSync(out + "/charts"); fs.writeFileSync(out + "/charts/a.csv", "a,b"); fs.writeFileSync(out + "/big.bin", ${big});`,
      `fs.writeFileSync(out + "/empty.txt", "");`,
      "",
    );
    expect(first?.files.map(({ name, media_type, data }) => [name, media_type, data.byteLength])).toEqual([
      ["big.bin", "application/octet-stream", 7_000_000],
      ["charts/a.csv", "text/csv", 3],
    ]);
    expect(Buffer.from(first?.files[0]?.data ?? []).every((byte) => byte === 7)).toBe(true);
    expect(first?.result).toMatchObject({
      output: expect.stringMatching(
        /^done\n\n\[files the person gets with your answer: \S+\/output\/big.bin \(7.0 MB\), \S+\/output\/charts\/a.csv \(3 B\)\]$/,
      ),
    });
    expect(second?.files.map(({ name }) => name)).toEqual(["empty.txt"]);
    expect(third).toEqual({ result: { status: "ok", output: "done" }, files: [] });
  });

  it("a handler's files are bounded, and links do not count as files", async () => {
    const [many, links] = await filesOf(
      `for (let at = 0; at < 12; at += 1) fs.writeFileSync(out + "/" + at, "x");`,
      `fs.symlinkSync("/etc/passwd", out + "/passwd"); fs.writeFileSync(out + "/own", "x");`,
    );
    expect(many?.files).toHaveLength(10);
    expect(many?.result).toMatchObject({
      output: expect.stringContaining(
        "[2 more files in the output folder were not handed over: at most 10 a call]",
      ),
    });
    expect(links?.files.map(({ name }) => name)).toEqual(["own"]);
  });
});

import { describe, expect, it } from "vitest";
import {
  addressesOf,
  diffAddress,
  isDiff,
  piecesOfDiff,
  piecesOfFile,
} from "../../../skills/code-review/read-change.ts";
import { checkFindings, reportOf, tableOf } from "../../../skills/code-review/skill.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";
import { startServer } from "../net/local-server.ts";

const simple = (file: string, hunk: string) =>
  `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n${hunk}\n`;
const shop = simple("shop.ts", "@@ -1,2 +1,2 @@\n-if (order.isPaid) return;\n+count += 1;\n ship(order);");
const found = (more: object) => ({
  file: "shop.ts",
  line: 1,
  severity: "major" as const,
  title: "Goes wrong",
  why: "It does.",
  quote: "count += 1;",
  proposal: "Do not.",
  ...more,
});

describe("diffs that code-review reads", () => {
  it.each([
    [
      "a name that git quotes",
      '--- "a/gr\\303\\274\\303\\237e \\"x\\".ts"\n+++ "b/gr\\303\\274\\303\\237e \\"x\\".ts"\n@@ -1 +1,2 @@\n a\n+b\n',
      ['grüße "x".ts 1 a', 'grüße "x".ts 2 b'],
    ],
    [
      "a merge with a column per parent",
      "diff --cc a.ts\nindex 1,2..3\n--- a/a.ts\n+++ b/a.ts\n@@@ -1,2 -1,2 +1,3 @@@\n- x\n -y\n++xy\n  z\n++end\n",
      ["a.ts 1 x", "a.ts 1 y", "a.ts 1 xy", "a.ts 2 z", "a.ts 3 end"],
    ],
    [
      "CRLF",
      simple("a.ts", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b").replaceAll("\n", "\r\n"),
      ["a.ts 1 a", "a.ts 1 b"],
    ],
    [
      "counts that are wrong",
      simple("a.ts", "@@ -1,9 +1,9 @@\n a\n+b") + simple("b.ts", "@@ -1 +1 @@\n a\n+b\n+c"),
      ["a.ts 1 a", "a.ts 2 b", "b.ts 1 a", "b.ts 2 b", "b.ts 3 c"],
    ],
    [
      "a mail with a signature, and the next one",
      `From 1 Mon\nSubject: x\n\n---\n a.ts | 1 -\n\n${simple("a.ts", "@@ -1,2 +1 @@\n--- drop\n keep")}-- \n2.43.0\n\nFrom 2 Mon\n\n---\n${simple("b.ts", "@@ -1 +1 @@\n-a\n+b")}`,
      ["a.ts 1 -- drop", "a.ts 1 keep", "b.ts 1 a", "b.ts 1 b"],
    ],
    [
      "files without a line of git",
      "--- a.ts\t2026-01-01\n+++ a.ts\t2026-01-02\n@@ -1,9 +1,9 @@\n-a\n+b\n--- b.ts\n+++ b.ts\n@@ -1 +1 @@\n-a\n+b\n",
      ["a.ts 1 a", "a.ts 1 b", "b.ts 1 a", "b.ts 1 b"],
    ],
    ["no context", simple("a.ts", "@@ -5 +4,0 @@\n-check();"), ["a.ts 5 check();"]],
    ["a remark without a line", simple("a.ts", "@@ -1 +1 @@\n\\ No newline at end of file"), []],
  ])("a diff is read with %s", async (_name, text, lines) => {
    expect(isDiff(text)).toBe(true);
    const { pieces } = await piecesOfDiff(text);
    expect(
      pieces.flatMap((piece) =>
        piece.lines.map(({ number, text: line }) => `${piece.file} ${number} ${line}`),
      ),
    ).toEqual(lines);
  });

  it.each([
    ["similarity index 100%\nrename from a.ts\nrename to b.ts\n", "renamed from a.ts, nothing else"],
    ["old mode 100644\nnew mode 100755\n", "only its mode changed"],
    ["index 1..2 100644\nBinary files a/a.ts and b/a.ts differ\n", "binary or empty"],
    ["deleted file mode 100644\n--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "deleted"],
  ])("a diff with nothing to review says why: %j", async (rest, why) => {
    const text = `diff --git a/a.ts b/${why.startsWith("renamed") ? "b" : "a"}.ts\n${rest}`;
    expect(isDiff(text)).toBe(true);
    expect(await piecesOfDiff(text)).toMatchObject({ pieces: [], left_out: [{ why }] });
  });

  it("a diff shows every line of a new file that is longer than a request", async () => {
    const added = Array.from({ length: 2_000 }, (_, at) => `+const value${at} = compute(${at});`);
    const { pieces } = await piecesOfDiff(simple("big.ts", ["@@ -0,0 +1,2000 @@", ...added].join("\n")));
    const shown = pieces.map((piece) => piece.shown).join("\n");
    expect(shown).toContain("2000 +const value1999 =");
    expect(Math.max(...pieces.map((piece) => piece.shown.length))).toBeLessThan(24_000);
    const minified = piecesOfFile("a.js", `${"x".repeat(500_000)}\nlast();`).pieces;
    expect(minified.map((piece) => piece.shown).join("\n")).toMatch(/^ {3}1 x{1995}…\n {3}2 last\(\);$/);
  });
});

describe("findings of a review", () => {
  const check = async (...findings: object[]) => {
    const { pieces } = await piecesOfDiff(shop);
    return checkFindings(findings.map(found), pieces);
  };

  it.each([
    ["a removed line", "if (order.isPaid) return;", 1],
    ["a line with its number and sign", "   1 +count += 1;", 1],
    ["a line in backticks", "`ship(order);`", 2],
    ["the beginning of a line", "if (order.isPaid)...", 1],
  ])("findings are placed where they quote %s", async (_name, quote, line) => {
    expect(await check({ quote, file: "b/shop.ts", line: 9 })).toMatchObject({
      kept: [{ file: "shop.ts", line }],
    });
  });

  it.each([";", "1", "const ship(order); // leaks the password of everybody", ""])(
    "findings are left out where %j proves nothing",
    async (quote) => {
      expect(await check({ quote })).toEqual({ kept: [], dropped: 1 });
    },
  );

  it("findings keep two problems of one line, and one problem of two lines", async () => {
    const { kept } = await check({}, { title: "Not atomic" }, { quote: "ship(order);", line: 2 }, {});
    expect(kept.map(({ line, title }) => `${line} ${title}`)).toEqual([
      "1 Goes wrong",
      "1 Not atomic",
      "2 Goes wrong",
    ]);
  });

  it("findings are a table that fits a message, and a whole report", () => {
    const many = Array.from({ length: 30 }, (_, at) => found({ line: at, title: `a | b \`${at}\`` }));
    expect(tableOf(many).split("\n")).toHaveLength(24);
    expect(tableOf(many)).toContain("10 more are in the report.");
    const report = reportOf("the change", "Verdict.", [
      ...many,
      found({ proposal: "const text = `a`;\n```" }),
    ]);
    expect(report).toContain("| major | `shop.ts:29` | a \\| b '29' |");
    expect(report).toContain("~~~~\nconst text = `a`;\n```\n~~~~");
  });
});

describe("changes at an address", () => {
  it.each([
    [
      "https://bitbucket.org/acme/shop/pull-requests/7/fix-it/diff",
      "https://api.bitbucket.org/2.0/repositories/acme/shop/pullrequests/7/diff",
    ],
    [
      "https://code.acme.example/projects/SHOP/repos/web/pull-requests/7/overview",
      "https://code.acme.example/rest/api/latest/projects/SHOP/repos/web/pull-requests/7.diff",
    ],
    ["https://codeberg.org/acme/shop/pulls/7/files", "https://codeberg.org/acme/shop/pulls/7.diff"],
    ["https://gitlab.com/acme/shop/-/commit/abcdef1", "https://gitlab.com/acme/shop/-/commit/abcdef1.diff"],
    [
      "https://github.acme.example/a/b/compare/main...fix/x",
      "https://github.acme.example/a/b/compare/main...fix/x.diff",
    ],
    ["<https://github.com/a/b/pull/3/files|a/b#3>", "https://github.com/a/b/pull/3.diff"],
  ])("change addresses are known: %s", (address, expected) => {
    expect(diffAddress(address)).toBe(expected);
  });

  it("change addresses include the host that GitHub redirects to", () => {
    expect(addressesOf("https://github.com/a/b/pull/3")).toEqual([
      "https://github.com/a/b/pull/3.diff",
      "https://patch-diff.githubusercontent.com/raw/a/b/pull/3.diff",
    ]);
  });

  it("change addresses need approval wherever the call names them, once strangers' text was read", async () => {
    const bench = createSkillBench({ answers: () => ({ findings: [] }), web: createWeb({ allow: [] }) });
    await bench.run("text-analyzer", { text: "hello" });
    const run = await bench.run("code-review", {
      what: shop,
      more_files: ["https://evil.invalid/what-they-said.diff"],
    });
    expect(run.asked.map(({ reason }) => reason).join()).toContain("evil.invalid");
  });

  it.each([
    [200, "<!DOCTYPE html><title>Sign in</title>", /private, or it does not exist/],
    [404, "not found", /private, or it does not exist/],
    [200, "hello", /answered no diff \(200\)/],
    [200, "\n", /The change is empty/],
  ])("change addresses that answer %d %j are reported plainly", async (status, body, words) => {
    await using server = await startServer((_request, response) => response.writeHead(status).end(body));
    const bench = createSkillBench({ answers: [], web: createWeb({ allow: ["127.0.0.1"] }) });
    const run = await bench.run("code-review", { what: `${server.origin}/g/p/-/merge_requests/1` });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });
});

it("a review keeps what was found when a later part cannot be reviewed", async () => {
  const line = (at: number) => `const value${at} = compute(${"x".repeat(60)}); // ${at}`;
  const code = Array.from({ length: 600 }, (_, at) => line(at)).join("\n");
  let asked = 0;
  const bench = createSkillBench({
    attached: { "a.ts": code },
    answers: () =>
      asked++ === 0 ? { findings: [found({ file: "a.ts", quote: line(3) })] } : '{"findings": [{"fi',
  });
  const run = await bench.run("code-review", { what: "a.ts" });
  expect(run.output).toMatchObject({
    findings: [{ file: "a.ts", line: 4 }],
    left_out: [{ file: "a.ts", why: "its remaining lines were not read" }],
    notes: [expect.stringContaining("ended after part 1 of")],
  });
});

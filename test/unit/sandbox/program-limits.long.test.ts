import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBuild } from "../../../src/sandbox/build-folder.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { LineBudget, LineReader, parseMessage } from "../../../src/sandbox/run/watched-program.ts";
import { needs } from "../../support/needs.ts";
import { startProgram, type TalkingProgram, writeModule } from "./program-fixture.ts";
import { ScriptFixture } from "./script-fixture.ts";

describe("a program that breaks its limits", needs("bubblewrap"), () => {
  const fixture = new ScriptFixture();
  const skill = fixture.skill({ "SKILL.md": "A skill." });
  let sandbox: Sandbox;
  const start = (code: string): Promise<TalkingProgram> =>
    startProgram(sandbox.programs, {
      skill,
      module: writeModule(fixture.root, { "program.mjs": `import { writeSync } from "node:fs";\n${code}` }),
    });
  beforeAll(async () => {
    sandbox = await createSandbox({ dataDir: fixture.dataDir });
  });
  afterAll(() => fixture[Symbol.dispose]());

  it.each([
    ["writes lines without end", `for (;;) writeSync(1, '"x"\\n');`, /more than 64 MB or 50000 lines/],
    [
      "fills its error output",
      `for (;;) writeSync(2, "x".repeat(50_000) + "\\n");`,
      /more than 64 MB or 50000 lines/,
    ],
    ["writes one endless line", `for (;;) writeSync(1, "x".repeat(100_000));`, /a line longer than 8 MB/],
    [
      "runs out of memory",
      `const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length));`,
      /needed more memory/,
    ],
    ["ends with an error", `throw new Error("oh");`, /ended by itself, with the exit code 1/],
  ])("a program that %s is stopped, and the reason is reported", async (_name, code, reason) => {
    const program = await start(code);
    expect(await program.ended).toMatch(reason);
    // The budget grows while it writes.
    expect(program.messages.length).toBeLessThan(100_000);
  });

  it("a program that fills its working folder is stopped, and the reason is reported", async () => {
    const working = await openBuild(join(fixture.root, "working"), 3_000_000);
    const code = `import { writeFileSync } from "node:fs";
for (let at = 0; at < 9; at += 1) writeFileSync("/workspace/temp/" + at, "x".repeat(1_000_000)); setInterval(() => undefined, 1000);`;
    const module = writeModule(fixture.root, { "program.mjs": code });
    const program = await startProgram(sandbox.programs, { skill, module, working });
    expect([await program.ended, program.text]).toEqual([
      expect.stringContaining("It is larger than 3 MB"),
      [],
    ]);
  });

  it("a program that does not read its input is stopped before the bot's memory fills", async () => {
    const program = await start("setInterval(() => undefined, 1000);");
    const sent = "x".repeat(10_000_000);
    for (let count = 0; count < 10; count += 1) program.send(sent);
    expect(await program.ended).toContain("did not read what it was sent");
  });

  it("a program that writes what its listener cannot use ends with that reason, and the bot continues", async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const module = writeModule(fixture.root, {
      "program.mjs": "console.log('{}'); setInterval(() => undefined, 1000);",
    });
    await sandbox.programs.start({
      ...{ skill, module, env: {} },
      onMessage() {
        throw new TypeError("no such call");
      },
      onEnd: ({ reason }) => end(reason),
    });
    expect(await ended).toContain("no such call");
  });

  it("a program cannot change prototypes of the bot with what it writes [sandbox-7]", async () => {
    const evil =
      '{"__proto__":{"polluted":1},"a":[{"__proto__":{"polluted":1}}],"constructor":{"prototype":{"polluted":1}}}';
    const program = await start(`console.log(${JSON.stringify(evil)}); setInterval(() => undefined, 1000);`);
    const message = await program.next();
    program.kill();
    const { a } = message as unknown as { a: object[] };
    const copies: object[] = [Object.assign({}, message as object), Object.assign({}, a[0]), {}];
    expect(copies.filter((object) => "polluted" in object)).toEqual([]);
    expect(Object.hasOwn(message as object, "__proto__")).toBe(false);
  });
});

describe("a line of a program", () => {
  it.each([
    "",
    "{",
    "undefined",
    "NaN",
    "'x'",
    "[".repeat(10_000) + "]".repeat(10_000),
    `${'{"a":'.repeat(500)}1${"}".repeat(500)}`,
  ])("a program's line that is not JSON, or too deep, is not a message (%#)", (line) =>
    expect(parseMessage(line)).toBe(undefined),
  );

  it.each(["null", "0", '"x"', "[[],{}]", '{"a":{"b":[1,2,{"c":null}]}}'])(
    "a program's line %s is read as its message",
    (line) => {
      expect(parseMessage(line)).toEqual(JSON.parse(line));
    },
  );

  it("a program's line keeps all digits of its numbers", () => {
    const line = '{"id":1175013331821920257}';
    expect(JSON.stringify(parseMessage(line))).toBe(line);
  });

  it("a program's line may come in pieces, even of one character, and many at once", () => {
    const lines: string[] = [];
    const limits = { lineBytes: 20, bytes: 1_000, lines: 100 };
    const reader = new LineReader(limits, new LineBudget(limits, () => 0), (line) => lines.push(line));
    const bytes = Buffer.from("eins\nzwölf\n\nlast");
    for (const byte of bytes) expect(reader.add(Uint8Array.of(byte))).toBe(undefined);
    reader.end();
    expect(lines).toEqual(["eins", "zwölf", "", "last"]);
    expect(reader.add(Buffer.from(`a\nb\n${"x".repeat(21)}`))).toBe("line_too_long");
    expect(lines.slice(4)).toEqual(["a", "b"]);
  });

  it("a program's lines count against a budget that refills over time", () => {
    let now = 0;
    const budget = new LineBudget({ lineBytes: 10, bytes: 100, lines: 10 }, () => now);
    expect([budget.take(50, 5), budget.take(50, 5), budget.take(1, 0)]).toEqual([true, true, false]);
    now = 5_000;
    expect([budget.take(40, 1), budget.take(40, 1)]).toEqual([true, false]);
    now = 100_000;
    expect([budget.take(100, 10), budget.take(0, 1)]).toEqual([true, false]);
  });
});

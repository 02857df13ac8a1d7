import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptRunner } from "../../../src/core/scripts.ts";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import { readOutputFiles } from "../../../src/sandbox/output-files.ts";
import { needs } from "../../support/needs.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

describe("files of a script in bubblewrap", needs("bubblewrap"), () => areHandedOn("/usr/bin/bwrap"));
describe("files of a script in an ordinary process", () => areHandedOn("/nowhere/bwrap"));

function areHandedOn(bwrap: string): void {
  const fixture = new ScriptFixture();
  let runner: ScriptRunner;
  const run = (text: string, args: string[] = []) =>
    runToEnd(
      runner,
      scriptRequest(fixture.skill({ "run.sh": text, "data.txt": "data" }, "bundled"), "run.sh", { args }),
    );
  beforeAll(async () => {
    runner = (await createSandbox({ dataDir: fixture.dataDir, bwrap })).scripts;
  });
  afterAll(() => fixture[Symbol.dispose]());

  it("are handed on with their names and bytes, whatever the exit code; without files there is no list", async () => {
    const outcome = await run(
      'cd "$KNACK_OUTPUT_DIR"; [ -z "$(ls -A)" ] && mkdir -p a && printf "eins\\0" > "a/grüße 1.bin"; echo b > .b; exit 7',
    );
    const files = outcome.files?.map(({ name, data }) => [name, Buffer.from(data).toString()]);
    expect(files?.sort()).toEqual([
      [".b", "b\n"],
      ["a/grüße 1.bin", "eins\0"],
    ]);
    expect(outcome.exit_code).toBe(7);
    expect(await run("exit 0")).not.toHaveProperty("files");
  });

  it("are no links, devices or pipes, and come from nowhere else", async () => {
    const outcome = await run(
      'cd "$KNACK_OUTPUT_DIR"; ln -s /etc/passwd link; ln -s / root; mkfifo pipe; echo real > file; ln file twin; ls -A',
    );
    expect(outcome.files?.map(({ name }) => name).sort()).toEqual(["file", "twin"]);
    const replaced = await run('rm -r "$KNACK_OUTPUT_DIR"; ln -s /etc "$KNACK_OUTPUT_DIR"');
    expect(replaced).not.toHaveProperty("files");
  });

  it("are cut at 10 and at 25 MB, and it says so", async () => {
    const many = await run('for i in $(seq 1 15); do echo $i > "$KNACK_OUTPUT_DIR/$i"; done');
    expect(many.files).toHaveLength(10);
    expect(many.files_left_out).toContain("more than 10 files or 25 MB");
    const big = await run(
      'head -c 30000000 /dev/zero > "$KNACK_OUTPUT_DIR/big"; echo small > "$KNACK_OUTPUT_DIR/small"',
    );
    expect(big.files?.map(({ name }) => name)).toEqual(["small"]);
    expect(big.files_left_out).toContain("25 MB");
  });

  it("can be made from the skill's own, which {baseDir} in an argument leads to", async () => {
    expect((await run('cat "$1"; echo " $KNACK_SKILL_DIR"', ["{baseDir}/data.txt"])).stdout).toMatch(
      /^data \//,
    );
    expect(
      (await run('[ "$1" = "$KNACK_SKILL_DIR/x:$KNACK_SKILL_DIR" ] && echo same', ["{baseDir}/x:{baseDir}"]))
        .stdout,
    ).toBe("same\n");
  });
}

describe("the archive of a script's files", () => {
  it.each([
    ["nothing", Buffer.alloc(0)],
    ["noise", Buffer.from("./".repeat(5_000))],
    ["packed data", gzipSync(Buffer.alloc(10_000_000))],
  ])("may be %s", async (_name, bytes) => {
    expect((await readOutputFiles(Readable.from([bytes]))).files).toEqual([]);
  });

  it("is no way out of the folder for a name", async () => {
    const { Header } = await import("tar");
    const block = (path: string) => {
      const header = new Header({ path, size: 1, type: "File", mode: 0o644 });
      const bytes = Buffer.alloc(1_024);
      header.encode(bytes, 0);
      bytes.write("x", 512);
      return bytes;
    };
    const archive = Buffer.concat(["./ok", "./../up", "./a/../../up", "/absolute", "./a\\b"].map(block));
    const { files } = await readOutputFiles(Readable.from([archive]));
    expect(files.map(({ name }) => name)).toEqual(["ok", "absolute"]);
    expect(existsSync("/absolute")).toBe(false);
  });
});

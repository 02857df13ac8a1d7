import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOf } from "../../../src/config/environment.ts";
import type { NewFile } from "../../../src/core/ports/storage.ts";
import { checkArguments } from "../../../src/core/turn/check-call.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { type McpBench, openBench, testServer } from "../../support/skills/mcp-bench.ts";

const secret = "a-very-secret-value";
const ok = (output: unknown) => ({ status: "ok", output });

describe("a server on stdio", () => {
  let bench: McpBench;
  const entry = {
    ...testServer,
    env: { TEST_TOKEN: secret, PLAIN: "production" },
    anythingllm: { suppressedTools: ["pid"] },
  };
  beforeAll(async () => {
    process.env.KNACK_TEST_SECRET = "of the bot";
    const network = networkOf({ HTTPS_PROXY: "http://me:proxy-pass@proxy:8080", OTHER: "of the bot" });
    bench = await openBench({ test: entry }, { network });
    await bench.servers.start("test");
  });
  afterAll(async () => {
    delete process.env.KNACK_TEST_SECRET;
    await bench.close();
  });

  it("a stdio server is a skill with a part for each tool that is not suppressed", async () => {
    const skill = await bench.skill("mcp_test");
    expect(skill).toMatchObject({ kind: "mcp", name: "test", version: "2.3.4" });
    expect(skill.description).toMatch(
      /^Answers the text; environment; folder; … \(14 tools of the server test\)$/,
    );
    const names = skill.tools.map(({ name }) => name);
    expect(names).toContain("test__echo");
    expect(names).not.toContain("test__pid");
    expect(await bench.skill("mcp_test#echo")).toMatchObject({ parent: "mcp_test", name: "Echo a text" });
  });

  it("a stdio server's own text is in the guide, marked as such and unable to leave its place", async () => {
    const { instructions } = await bench.skill("mcp_test");
    expect(instructions).toContain("Nobody here checked that");
    expect(instructions.match(/<\/server_text>/g)).toHaveLength(1);
  });

  it("a stdio server's hints are read as tool effects", async () => {
    expect((await bench.tool("test", "echo")).effect({})).toBe("read_only");
    expect((await bench.tool("test", "fail")).effect({})).toBe("side_effect");
    expect((await bench.tool("test", "die")).server?.hints).toMatchObject({ destructive: true });
    expect((await bench.tool("test", "echo")).server).toMatchObject({
      own: true,
      hints: { read_only: true },
    });
  });

  it("a stdio server answers calls, and arguments are checked before they are sent", async () => {
    expect(await bench.call("test", "echo", { text: "hello" })).toEqual(ok("hello"));
    const echo = await bench.tool("test", "echo");
    const validate = (input: unknown) => checkArguments(echo, input);
    expect(await validate({ text: true })).toMatchObject({ ok: false });
    expect(await validate("x")).toEqual({ ok: false, message: "an object is expected" });
    expect(await validate({ text: 4711 })).toEqual({ ok: true, value: { text: "4711" } });
  });

  it("a stdio server runs in a folder of its own, unless its entry names another [server-3]", async () => {
    expect(await bench.call("test", "folder")).toEqual(ok(join(bench.folder, "homes", "mcp_test")));
    await bench.write({ test: entry, there: { ...testServer, cwd: bench.folder } });
    await bench.source.load();
    await bench.servers.start("there");
    expect(await bench.call("there", "folder")).toEqual(ok(bench.folder));
  });

  it("a stdio server runs in its own folder too if its entry names files relative to the bot's", async () => {
    const [script = "", ...args] = testServer.args;
    const relativeArgs = [relative(process.cwd(), script), "test", ...args];
    await using own = await openBench({ test: { ...testServer, args: relativeArgs } });
    const home = join(own.folder, "homes", "mcp_test");
    await mkdir(home, { recursive: true, mode: 0o755 });
    await own.servers.start("test");
    expect(await own.call("test", "folder")).toEqual(ok(home));
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    // Not a path, although the bot's folder has one of that name.
    expect(await own.call("test", "arguments")).toEqual(ok(JSON.stringify(["test", ...args])));
  });

  it("a stdio server's folder is removed with its entry, and stays if the file is broken", async () => {
    const homes = await mkdtemp(join(tmpdir(), "knack-homes-"));
    const own = await openBench({ test: testServer, other: testServer }, { folder: homes });
    for (const name of ["test", "other"]) await own.servers.start(name);
    for (const broken of ["", "{", { test: { ...testServer, disabled: true }, other: {} }]) {
      await own.write(broken);
      await own.source.load();
      await own.write({ test: testServer, other: testServer });
      await own.source.load();
    }
    await own.servers.stop("other");
    await own.write({ test: testServer });
    await own.source.load();
    await own.close();
    expect(await readdir(homes)).toEqual(["mcp_test"]);
    await rm(homes, { recursive: true });
  });

  it("a stdio server's failures are reported as errors", async () => {
    const result = await bench.call("test", "fail");
    expect(result).toEqual({ status: "error", code: "tool_failed", message: "no such thing" });
  });

  it("a stdio server gets only the proxy settings of the bot's environment, and its secrets do not come back [server-3]", async () => {
    const { output } = (await bench.call("test", "environment")) as { output: string };
    expect(output).not.toContain("of the bot");
    expect(JSON.parse(output)).toMatchObject({
      ...{ TEST_TOKEN: "[secret]", PLAIN: "production" },
      HTTPS_PROXY: "http://me:[secret]@proxy:8080",
    });
    expect((await bench.tool("test", "fail")).description).toBe("Fails, with [secret].");
  });

  it("a stdio server's pictures and other bytes are handed over as files, never as text", async () => {
    const files: NewFile[] = [];
    const result = await bench.call(
      "test",
      "picture",
      {},
      { file: async (file) => String(files.push(file)) },
    );
    expect(files.map(({ name, media_type, data }) => [name, media_type, data.byteLength])).toEqual([
      ["picture-2.png", "image/png", 8],
      ["report.bin", "application/octet-stream", 8],
    ]);
    expect(result).toEqual(
      ok(
        [
          "Here it is.",
          "note://1:\na note",
          "[x](https://example.com/x): more",
          "[The person gets the file picture-2.png: image/png, 8 bytes.]",
          "[The person gets the file report.bin: application/octet-stream, 8 bytes.]",
        ].join("\n"),
      ),
    );
  });

  it.each<[string, string, Record<string, Json>, Json]>([
    [
      "a text that says all of it",
      "Oslo: rain, 7.5 degrees",
      { city: "Oslo", now: { rain: true, degrees: 7.5 } },
      "the value, and the text to read",
    ],
    ["a text that is one of its values", "two\nlines", { content: "two\nlines" }, "the value"],
    ["JSON that says it again", '{"id": 7}', { result: { id: 7 } }, "the value"],
    ["no text", "", { id: 7 }, "the value"],
    ["a text that says something else", "Found one.", { id: 7 }, { text: "Found one.", id: 7 }],
  ])("a stdio server answers structured content with %s", async (_what, said, value, expected) => {
    const result = await bench.call("test", "structured", { said, value });
    const results: Record<string, unknown> = {
      "the value": ok(value),
      "the value, and the text to read": { ...ok(value), readable: said },
    };
    expect(result).toEqual(results[String(expected)] ?? ok(expected));
  });

  it("a stdio server shows progress, which keeps a call alive beyond the longest silence", async () => {
    const notes: unknown[] = [];
    const quick = await openBench({ test: testServer }, { call_ms: 2_000 });
    await quick.servers.start("test");
    const progress = (...note: unknown[]) => void notes.push(note);
    const result = await quick.call("test", "progress", { steps: 12, pause_ms: 200 }, { progress });
    expect(result).toEqual(ok("done"));
    expect(notes.at(0)).toEqual(["step 1", 1, 12]);
    // The last may come together with the result, and then nobody waits for it any more.
    expect(notes.length).toBeGreaterThanOrEqual(3);
    await quick.close();
  });

  it("a stdio server is told when a call is given up", async () => {
    const controller = new AbortController();
    const call = bench.call("test", "silent", {}, { signal: controller.signal });
    await bench.call("test", "echo", { text: "in between" });
    controller.abort(new Error("stopped"));
    await expect(call).rejects.toThrow();
    await expect.poll(() => bench.call("test", "cancelled")).toEqual(ok("1"));
  });

  it("a stdio server may change its tools while it runs", async () => {
    const before = await bench.source.load();
    expect(await bench.source.load()).toBe(before);
    expect(await bench.call("test", "grow")).toEqual(ok("ok"));
    await expect.poll(() => bench.call("test", "grown").catch(() => undefined)).toEqual(ok("grown"));
    expect(await bench.source.load()).not.toBe(before);
  });

  it("a stdio server leaves no errors behind", () => expect(bench.errors).toEqual([]));
});

it("a starting server says what it waits for", async () => {
  const clock = createFakeClock();
  const args = ["-c", "echo 'fetch failed, again' >&2; exec cat >/dev/null"];
  const bench = await openBench({ slow: { command: "sh", args } }, { clock });
  bench.start();
  await bench.until("slow", "starting");
  clock.advance(12_000);
  const problem = () => bench.servers.list()[0]?.problem;
  await expect.poll(problem).toBe("Its server is starting (12 s). It wrote last: fetch failed, again");
  await bench.close();
});

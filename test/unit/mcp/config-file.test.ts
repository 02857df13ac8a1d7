import { afterEach, describe, expect, it } from "vitest";
import { readServers } from "../../../src/mcp/read-servers.ts";
import { type McpBench, openBench, testServer } from "../../support/skills/mcp-bench.ts";

let bench: McpBench;
afterEach(() => bench.close());

const variable = (inside: string) => ["$", "{", inside, "}"].join("");

const roots = async () => {
  const { skills } = await bench.source.load();
  return skills.filter(({ parent }) => parent === undefined).map(({ id }) => id);
};
const messages = async () => (await bench.source.load()).diagnostics.map(({ message }) => message);

describe("the file of servers", () => {
  it.each([
    ["nothing to reach", {}, "it has neither command nor url."],
    [
      "a broken address",
      { url: "ftp://x" },
      "url: it is not an address that begins with http:// or https://.",
    ],
    [
      "an unknown type",
      { type: "carrier-pigeon", url: "http://x" },
      "type: carrier-pigeon is unknown. Use stdio, http or sse.",
    ],
    [
      "arguments that are no list",
      { command: "x", args: "-y" },
      "args: Invalid input: expected array, received string.",
    ],
    [
      "a variable that is not set",
      { command: "x", env: { A: variable("NOWHERE") } },
      "NOWHERE is not set in the environment.",
    ],
    [
      "an input that another program would ask for",
      { command: "x", env: { A: "$" + "{input:api-key}" } },
      "API_KEY is not set in the environment.",
    ],
    ["something else than an object", 7, "entry: Invalid input: expected object, received number."],
  ])("the server file leaves out a server with %s, and says so", async (_what, entry, reason) => {
    bench = await openBench({ broken: entry, good: { command: "x" } });
    expect(await roots()).toEqual(["mcp_good"]);
    expect(await messages()).toEqual([`Server broken is left out: ${reason}`]);
  });

  it("the server file's keys without effect are named, with what may have been meant", async () => {
    bench = await openBench({ a: { comand: "y", command: "x", knack: { timeout_second: 3 } } });
    expect(await messages()).toEqual([
      "Server a: comand is unknown and has no effect. Did you mean command?",
      "Server a: knack.timeout_second is unknown and has no effect. Did you mean timeout_seconds?",
    ]);
  });

  it("the server file distinguishes two servers whose names would become one", async () => {
    bench = await openBench({ "my server": { command: "x" }, "my  server": { command: "y" } });
    expect(await roots()).toEqual(["mcp_my-server"]);
    expect(await messages()).toEqual([
      "Server my  server is left out: its name is the same as that of my server. Give it another.",
    ]);
  });

  it.each(["httpUrl", "serverUrl"])("the server file has the address of other programs: %s", async (name) => {
    bench = await openBench({ a: { [name]: "http://127.0.0.1:9/mcp" } });
    expect(await messages()).toEqual([]);
    expect(await roots()).toEqual(["mcp_a"]);
  });

  it("the server file has variables of the environment filled in, with defaults", async () => {
    const env = {
      A: variable("ONE"),
      B: variable("TWO:-two"),
      C: `${variable("env:ONE")}-${variable("ONE")}`,
      D: "$ONE",
    };
    bench = await openBench({ test: { ...testServer, env } }, { environment: { ONE: "1", TWO: "" } });
    await bench.servers.start("test");
    const result = (await bench.call("test", "environment")) as { output: string };
    expect(JSON.parse(result.output)).toMatchObject({ A: "1", B: "two", C: "1-1", D: "$ONE" });
  });

  it.each([
    ["no JSON", "{", /^Not valid JSON: .* The servers stay as they were\. Fix the file\.$/],
    ["no servers", '{"mcpServer": {}}', /^It has no mcpServers\. It has mcpServer; did you mean that\?$/],
    ["a list", "[]", /^It is not \{"mcpServers": \{…\}\}\.$/],
  ])("the server file keeps the servers it had when it becomes %s", async (_what, text, message) => {
    bench = await openBench({ good: { command: "x" } });
    expect(await roots()).toEqual(["mcp_good"]);
    await bench.write(text);
    expect(await messages()).toEqual([expect.stringMatching(message)]);
    expect(await roots()).toEqual(["mcp_good"]);
  });

  it("the server file is read with comments and trailing commas, as editors write it, and says so", async () => {
    bench = await openBench({});
    await bench.write(`\uFEFF// servers of the team
{
  "servers": { /* one */
    "web": { "url": "http://x/*a*/,]//b", "headers": { "A": "\\",} // \\"" },
    },
    "local": { "command": "x", "args": ["//", ",}",], }, /* two
    lines */
  },
}`);
    expect(await roots()).toEqual(["mcp_web", "mcp_local"]);
    expect(await messages()).toEqual([expect.stringContaining("It has comments or a comma after a last")]);
  });

  it.each([
    ["cut off", '{"mcpServers": {\n  "good": {"command": "x"}, // more\n', /line 3 column 1/],
    ["cut off in a comment", '{"mcpServers": {}} /* more', /position 19/],
    ["with a comma too many", '{"mcpServers": {\n  // none\n  ,}}', /line 3 column 3/],
    ["in single quotes", "{'mcpServers': {}}", /position 1/],
  ])(
    "a broken server file is not repaired, its place is named, and the servers stay: %s",
    async (_what, text, place) => {
      bench = await openBench({ good: { command: "x" } });
      expect(await roots()).toEqual(["mcp_good"]);
      await bench.write(text);
      expect(await messages()).toEqual([expect.stringMatching(place)]);
      expect(await roots()).toEqual(["mcp_good"]);
    },
  );

  it("a broken server file is found in time in proportion to its length", async () => {
    const hostile = [
      `{"a": ${'\\"'.repeat(150_000)}`,
      `{"a": ${"/*".repeat(150_000)}`,
      `[${",".repeat(150_000)}`,
    ];
    bench = await openBench({ good: { command: "x" } });
    for (const text of [...hostile, `{"a": 1${" ".repeat(300_000)}x`, `[1,${", ".repeat(150_000)}`]) {
      await bench.write(text);
      expect(await messages()).toEqual([expect.stringContaining("Not valid JSON")]);
    }
  });

  it("the server file may be in UTF-16, as Windows shells write it", async () => {
    bench = await openBench({});
    await bench.write(Buffer.from('\uFEFF{ "mcpServers": { "local": { "command": "größe" } } }', "utf16le"));
    expect(await roots()).toEqual(["mcp_local"]);
    expect(await messages()).toEqual([]);
  });

  it("the server file's changes are seen without a restart", async () => {
    bench = await openBench({ one: testServer, two: { command: "sleep", args: ["600"] } });
    bench.start();
    await bench.until("one", "running");
    const pid = async (server: string) => JSON.stringify(await bench.call(server, "pid"));
    const [before] = [(await pid("one")).match(/"server":(\d+)/)?.[1]];
    await bench.write({ one: testServer, three: { ...testServer, env: { NEW: "yes" } } });
    expect(await roots()).toEqual(["mcp_one", "mcp_three"]);
    await bench.until("three", "running");
    expect((await pid("one")).match(/"server":(\d+)/)?.[1]).toBe(before);
  });

  it("the server file may be missing", async () => {
    bench = await openBench("");
    expect(await roots()).toEqual([]);
    expect(await messages()).toEqual([]);
  });

  it.each([{ disabled: true }, { enabled: false }])(
    "the server file switches servers off with %o",
    async (off) => {
      bench = await openBench({ test: { ...testServer, ...off } });
      bench.start();
      expect((await bench.skill("mcp_test")).problems).toEqual([
        "It is switched off in the file of servers.",
      ]);
      expect(await bench.servers.start("test")).toMatchObject({ state: "stopped" });
      expect(await messages()).toEqual([]);
    },
  );

  it.each([
    [60, 60_000],
    [3_600, 3_600_000],
    [30_000, 30_000],
  ])(
    "the server file takes a timeout of %i as %i ms, whether its writer meant seconds or milliseconds",
    (timeout, ms) => {
      const { servers, diagnostics } = readServers({ test: { command: "x", timeout } }, "mcp.json", {});
      expect(diagnostics).toEqual([]);
      expect(servers).toMatchObject([{ timeout_ms: ms }]);
    },
  );

  it("the server file's autoApprove lets tools run without asking, unless Knack's own setting says otherwise", () => {
    const entry = { command: "x", autoApprove: ["read", "drop"], knack: { approval: { drop: "operator" } } };
    const { servers } = readServers({ test: entry }, "mcp.json", {});
    expect(servers).toMatchObject([{ approvals: { read: "none", drop: "operator" } }]);
  });
});

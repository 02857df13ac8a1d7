import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testReview } from "../../support/fakes/fake-packages.ts";
import { testServer } from "../../support/fakes/fake-servers.ts";
import { fakeBot, healthy, problem, type Route } from "./fake-bot.ts";
import { findingsOf, runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

async function json(argv: string[], routes: Record<string, Route>) {
  const { code, out } = runKnack([...argv, "--json"], { cwd, bot: fakeBot(routes) });
  return { code: await code, value: JSON.parse(out.text()) };
}

const result = { success: true, results: [], variables: { city: "Oslo" }, directOutput: null };

describe("knack flows", () => {
  it("`knack flows` lists the flows and the broken files", async () => {
    const list = { flows: [], diagnostics: [{ path: "a.json", severity: "error", code: "c", message: "m" }] };
    expect(await json(["flows", "list"], { "GET /flows": () => list })).toEqual({ code: 0, value: list });
  });

  it.each([
    [result, 0],
    [{ ...result, success: false, error: "Step 2 failed." }, 1],
  ])(
    "`knack flows` prints the result of a run, and shows by its exit code how it went",
    async (answer, exit) => {
      const routes = { "POST /flows/weather/run": () => answer };
      expect(await json(["flows", "run", "weather"], routes)).toEqual({ code: exit, value: answer });
    },
  );

  it("`knack flows` runs a file by its text, or only tells what it would do", async () => {
    await writeFile(path.join(cwd, "my.json"), '{"name": "Mine"}');
    await writeFile(path.join(cwd, "weather"), "not what is meant");
    const asked: unknown[] = [];
    const note: Route = async (request) => {
      asked.push(await request.json());
      return result;
    };
    const routes = { "POST /flows/run": note, "POST /flows/weather/run": note };
    await json(["flows", "run", "my.json", "--vars", '{"city": "Oslo"}', "--dry-run"], routes);
    await json(["flows", "run", "weather"], routes);
    const more = { namespace: "console:local:dm" };
    expect(asked).toEqual([
      { flow: '{"name": "Mine"}', name: "my.json", vars: { city: "Oslo" }, dry_run: true, ...more },
      { vars: {}, dry_run: false, ...more },
    ]);
  });

  it("`knack flows` says what is wrong with its arguments", async () => {
    const vars = runKnack(["flows", "run", "weather", "--vars", "[]"], { cwd });
    expect([await vars.code, vars.err.text()]).toEqual([
      2,
      expect.stringContaining("--vars is not an object"),
    ]);
    const file = runKnack(["flows", "run", "./none.json"], { cwd });
    expect([await file.code, file.err.text()]).toEqual([
      1,
      expect.stringContaining("./none.json cannot be read"),
    ]);
    const unknown = { "POST /flows/wether/run": () => problem(404, "Did you mean weather?") };
    expect(await json(["flows", "run", "wether"], unknown)).toMatchObject({
      code: 1,
      value: { error: "Did you mean weather?" },
    });
  });
});

describe("knack mcp", () => {
  const running = { ...testServer("files"), state: "running" } as const;
  const failed = { ...running, state: "failed", problem: "npx is not on the PATH." } as const;

  it("`knack mcp` lists servers with their tools", async () => {
    const routes = {
      "GET /mcp": () => ({ servers: [running], diagnostics: [] }),
    };
    expect(await json(["mcp", "list"], routes)).toEqual({
      code: 0,
      value: { servers: [running], diagnostics: [] },
    });
    const { code, out } = runKnack(["mcp", "list"], { cwd, bot: fakeBot(routes) });
    expect([await code, out.text()]).toEqual([
      0,
      expect.stringMatching(/files \(stdio\) running\n {2}• read_file/),
    ]);
  });

  it("`knack mcp` lists what is wrong with the file, not that there are no servers", async () => {
    const file = path.join(cwd, "config", "mcp.json");
    const problem = { severity: "error", code: "c" };
    const diagnostics = [{ ...problem, path: file, message: "It is no JSON." }];
    const routes = { "GET /mcp": () => ({ servers: [], diagnostics }) };
    const { code, out } = runKnack(["mcp", "list"], { cwd, bot: fakeBot(routes) });
    const listed = `No tool server can be used:\n\n• ✖ ${file}: It is no JSON.\n`;
    expect([await code, out.text()]).toEqual([0, listed]);
  });

  it.each([
    ["start", running, 0],
    ["restart", failed, 1],
    ["stop", { ...running, state: "stopped" }, 0],
  ])("`knack mcp` shows by its exit code whether %s did what it should", async (action, server, exit) => {
    const routes = { [`POST /mcp/files/${action}`]: () => server };
    expect(await json(["mcp", action, "files"], routes)).toEqual({ code: exit, value: server });
  });

  it("`knack mcp` gives a login only from a running bot, which receives the answer", async () => {
    const { code, value } = await json(["mcp", "login", "files"], {});
    expect([code, value.error]).toEqual([1, expect.stringContaining("knack start")]);
  });
});

describe("knack doctor", () => {
  const review = testReview("weather");
  const entry = { skill_id: "weather", hash: review.hash, from: "x", by: "ada", installed_at: 1, review };
  const skill = (hash: string) => {
    const same = hash === entry.hash;
    return { id: "weather", source: "managed", hash, eligible: same, reasons: same ? [] : ["Changed."] };
  };
  const changed = { path: "/w", severity: "error", code: "changed_since_install", message: "Changed." };

  it.each([
    [
      "a server that failed",
      { servers: [{ ...testServer("files"), state: "failed", problem: "gone" }] },
      ["mcp", "warning", "mcp restart files"],
    ],
    [
      "a server that waits for a login",
      { servers: [{ ...testServer("mail"), state: "needs_login" }] },
      ["mcp", "warning", "mcp login mail"],
    ],
    [
      "a package that was changed",
      { packages: [entry], skills: [skill("b".repeat(64))], diagnostics: [changed] },
      ["packages", "error", "skills update weather"],
    ],
    ["a package whose files are gone", { packages: [entry] }, ["packages", "error", "skills remove weather"]],
    [
      "a skill that lacks something, and not about one that was switched off",
      {
        skills: [
          { id: "video", eligible: false, reasons: ["No ffmpeg."] },
          { id: "old", eligible: false, reasons: ["It is switched off."], switched_off: true },
        ],
      },
      ["skills", "warning", "Provide what is missing"],
    ],
    [
      "several skills that lack the same",
      {
        skills: ["video", "sound"].map((id) => ({ id, eligible: false, reasons: ["No ffmpeg."] })),
      },
      ["skills", "warning", "Provide what is missing", "video, sound: cannot be used: No ffmpeg."],
    ],
    [
      "several files with the same problem",
      {
        diagnostics: ["/a", "/b"].map((path) => ({
          path,
          severity: "error",
          code: "broken",
          message: "Odd.",
        })),
      },
      ["skills", "error", "Correct it", "/a, /b: Odd. (broken)"],
    ],
    [
      "several servers that failed alike",
      {
        servers: ["files", "mail"].map((name) => ({
          ...testServer(name),
          ...{ state: "failed", problem: "no npx", tools: [] },
        })),
      },
      ["mcp", "warning", "mcp restart files`, `knack mcp restart mail", "files, mail: failed: no npx"],
    ],
    [
      "nothing",
      { packages: [entry], skills: [skill(entry.hash)], servers: [testServer("files")] },
      undefined,
    ],
  ])("`knack doctor` says once what to do: %s", async (_name, there: Record<string, unknown[]>, expected) => {
    const { servers = [], packages = [], skills = [], diagnostics = [] } = there;
    const bot = fakeBot({
      ...healthy,
      "GET /skills": () => ({ skills, diagnostics }),
      "GET /packages": () => ({ packages }),
      "GET /mcp": () => ({ servers }),
      "GET /sandbox/packages": () => ({ sets: [] }),
      "GET /retention": () => ({
        policy: { conversation_days: 365, run_detail_days: 30, file_days: 30, audit_days: 30 },
        from: 0,
      }),
    });
    const found = (await findingsOf({ cwd, bot })).filter(
      ({ name, status }) => status !== "ok" && ["mcp", "packages", "skills"].includes(name),
    );
    if (expected === undefined) return expect(found).toEqual([]);
    const [name, status, advice = "", detail = ""] = expected;
    const what = expect.stringContaining(detail);
    expect(found).toMatchObject([{ name, status, advice: expect.stringContaining(advice), detail: what }]);
  });
});
